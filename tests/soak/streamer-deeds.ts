import { and, eq, isNull } from 'drizzle-orm';
import { kindKey } from '#app/services/items/picks.server.ts';
import { is, within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import type { Actor } from './actor.ts';
import type { Person } from './people.ts';
import { reconnect } from './reconnect.ts';
import { ruleDrafts } from './rule-drafts.ts';
import type { Stage } from './stage.ts';

const MAX_RULES = 5;

const kindNames = { appId: items.appId, marketHashName: items.marketHashName, traits: items.traits };

/** Before any faults: each streamer opens several kinds of rules with rewards, which are attached two at a time. */
export async function openRules(stage: Stage, { pairs = 1 } = {}): Promise<void> {
  for (const [place, streamer] of stage.streamers.entries()) {
    const mine = ruleDrafts.filter((_, n) => n % stage.streamers.length === place);
    for (const draft of mine) await note(stage, 'createRule', streamer, 'POST', '/rules', { ...draft });
    for (const { id } of await openRulesOf(stage, streamer))
      for (let pair = 0; pair < pairs; pair++) await attach(stage, streamer, id, 2);
  }
}

/** Streamers' actions on the product's pages. */
export function streamerDeeds(stage: Stage): Actor {
  const chance = stage.chanceOf('streamers');
  return {
    name: 'streamers',
    pauseMs: () => chance.between(1200, 3500),
    async act() {
      const streamer = chance.pick(stage.streamers);
      if (!streamer) return;
      const rule = chance.pick(await openRulesOf(stage, streamer));
      const deed = chance.among({
        attach: 8,
        detach: 2,
        giveBack: 1,
        open: 2,
        close: 1,
        cancel: 2,
        reconnect: 1,
      });
      if (deed === 'attach' && rule) await attach(stage, streamer, rule.id, chance.between(1, 3));
      if (deed === 'detach' && rule) await detach(stage, streamer, rule.id);
      if (deed === 'close' && rule) await note(stage, 'closeRule', streamer, 'DELETE', `/rules/${rule.id}`);
      if (deed === 'open') await openAnother(stage, streamer, chance.between(0, ruleDrafts.length - 1));
      if (deed === 'giveBack') await giveBack(stage, streamer);
      if (deed === 'cancel') await cancel(stage, streamer);
      if (deed === 'reconnect') await reconnect(stage);
    },
  };
}

/**
 * A streamer deposits what is at home: mostly what the bot read of it at the opening, because readings of inventories
 * wait behind custody's own; sometimes by kind, as on the pages, with a reading.
 */
export function deposits(stage: Stage, streamer: Person): Actor {
  const chance = stage.chanceOf(`deposits of ${streamer.login}`);
  let turn = 0;
  return {
    name: `deposits of ${streamer.login}`,
    pauseMs: () => chance.between(3000, 7000),
    async act() {
      turn += 1;
      const quantity = chance.between(1, 3);
      if (turn % 4 === 0) await deposit(stage, streamer, { turn, quantity });
      else await depositKnown(stage, streamer, quantity);
    },
  };
}

async function depositKnown(stage: Stage, { userId }: Person, quantity: number): Promise<void> {
  const { api, db, panel, hostClock, atHome, tally } = stage;
  const assets = atHome.get(userId)?.splice(-quantity) ?? [];
  if (assets.length === 0) return;
  const nowMs = panel.nowMs() + hostClock.aheadMs;
  const systemMs = Date.now() + hostClock.aheadMs;
  const asked = await requestDeposit(db, { requestId: newId(nowMs), userId, assets }, nowMs, systemMs);
  tally.note(asked.ok ? 'deposit' : `deposit: ${asked.code}`);
  if (asked.ok) api.done.push({ method: 'POST', path: '/items/deposit', ids: [asked.transferId] });
}

type Method = 'POST' | 'DELETE';
/** Asks for something and counts the answer: the code of a refusal, or null when it was done. */
async function note(
  { api, tally }: Stage,
  deed: string,
  who: Person,
  method: Method,
  path: string,
  body?: object,
): Promise<string | null> {
  const refusal = await api.ask(who, method, path, body);
  tally.note(refusal ? `${deed}: ${refusal}` : deed);
  return refusal;
}

const openRulesOf = ({ db }: Stage, { userId }: Person) =>
  db.read
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.ownerId, userId), within(rules.state, liveRuleStates)));

async function openAnother(stage: Stage, streamer: Person, place: number): Promise<void> {
  if ((await openRulesOf(stage, streamer)).length >= MAX_RULES) return;
  await note(stage, 'createRule', streamer, 'POST', '/rules', { ...ruleDrafts[place] });
}

/** Attaches rewards of the kind with the most unassigned pieces, according to the streamer's page. */
async function attach(stage: Stage, streamer: Person, ruleId: string, quantity: number): Promise<void> {
  const kind = await unassignedKind(stage, streamer);
  if (!kind) return;
  const body = { items: [{ kind_id: kindKey(kind), quantity }] };
  await note(stage, 'attach', streamer, 'POST', `/rules/${ruleId}/rewards`, body);
}

async function unassignedKind({ db }: Stage, { userId }: Person) {
  const [kind] = await db.read
    .select(kindNames)
    .from(items)
    .leftJoin(rewards, and(eq(rewards.itemId, items.id), within(rewards.state, liveRewardStates)))
    .where(and(eq(items.ownerId, userId), is(items.state, 'held'), isNull(rewards.id)))
    .orderBy(items.lockedUntilMs)
    .limit(1);
  return kind;
}

async function detach(stage: Stage, streamer: Person, ruleId: string): Promise<void> {
  const [kind] = await stage.db.read
    .select(kindNames)
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
    .limit(1);
  if (!kind) return;
  const body = { items: [{ kind_id: kindKey(kind), quantity: 1 }] };
  await note(stage, 'detach', streamer, 'DELETE', `/rules/${ruleId}/rewards`, body);
}

/** A kind deposited before, with pieces left at home or returned. */
async function deposit(
  stage: Stage,
  streamer: Person,
  { turn, quantity }: { turn: number; quantity: number },
): Promise<string | null> {
  const kinds = await stage.db.read
    .selectDistinct(kindNames)
    .from(items)
    .where(eq(items.ownerId, streamer.userId))
    .orderBy(items.appId, items.marketHashName, items.traits);
  const kind = kinds[turn % Math.max(1, kinds.length)];
  if (!kind) return null;
  const body = { items: [{ kind_id: kindKey(kind), quantity }] };
  return note(stage, 'deposit', streamer, 'POST', '/items/deposit', body);
}

async function giveBack(stage: Stage, streamer: Person): Promise<void> {
  const kind = await unassignedKind(stage, streamer);
  if (!kind) return;
  const body = { items: [{ kind_id: kindKey(kind), quantity: 1 }] };
  await note(stage, 'return', streamer, 'POST', '/items/return', body);
}

async function cancel(stage: Stage, streamer: Person): Promise<void> {
  const [transfer] = await stage.db.read
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(eq(transfers.userId, streamer.userId), within(transfers.state, liveTransferStates)))
    .limit(1);
  if (transfer) await note(stage, 'cancel', streamer, 'POST', `/transfers/${transfer.id}/cancel`);
}
