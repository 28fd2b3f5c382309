import { and, desc, eq, inArray } from 'drizzle-orm';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import type { Asset } from '#db/schema/asset.ts';
import { channels } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { listCustody } from '#domain/item/list-custody.ts';
import { day } from '#domain/kernel/time.ts';
import { createRule, type RuleDraft } from '#domain/rule/create-rule.ts';
import { ask } from './bot-api.ts';
import { otherChannels } from './channels.ts';
import { acceptOffer, deposit, pickAssets, readTradable, stock, type Trader, type Trading } from './stock.ts';
import { until } from './until.ts';

/** The means by which the steps of the demo's past are taken. */
export interface Past extends Trading {
  /** Returns the id of a request by its name: the same whenever a step is taken again. */
  idOf(request: string): string;
  /** Returns the time noted by this name; notes this one if there is none. */
  timeOf(name: string, otherwiseMs: number): number;
  /** Returns the id of somebody in the notes by name. */
  userIdOf(name: string): string;
}

const COUNTER_STRIKE = 730;
const streamer = 'Demo streamer';
const [nordwind = '', lowtide = ''] = otherChannels.map(({ name }) => name);

const draftOf = (draft: Pick<RuleDraft, 'name'> & Partial<RuleDraft>): RuleDraft => ({
  type: 'one',
  followDays: null,
  watchMinutes: null,
  watchScope: 'sinceRule',
  attendedStreams: null,
  ofLastStreams: null,
  subscriberTier: null,
  pointsCost: null,
  claimTimeoutHours: 336,
  ...draft,
});

/** The rules, each with a number of different items, of which one is left in the end. */
const rules: readonly { owner: string; draft: RuleDraft; items: number }[] = [
  { owner: streamer, draft: draftOf({ name: 'Thank you, subscribers', subscriberTier: 1 }), items: 3 },
  { owner: nordwind, draft: draftOf({ name: 'A month on board', followDays: 30 }), items: 4 },
  {
    owner: lowtide,
    draft: draftOf({ name: 'What the tide brings', type: 'random', followDays: 7 }),
    items: 3,
  },
];

const viewer = (number: number): string => `Demo viewer ${String(number).padStart(2, '0')}`;

/** The viewers who claim, by the owner of the rule. Viewer 2 has yet to claim what the tide brought. */
const claims: readonly (readonly [owner: string, viewer: string])[] = [
  [streamer, viewer(5)],
  [streamer, viewer(7)],
  [nordwind, viewer(6)],
  [nordwind, viewer(8)],
  [nordwind, viewer(9)],
  [lowtide, viewer(6)],
];
export const claimant = viewer(2);
const unclaimed = [lowtide, claimant] as const;

const nowOf = async ({ panel }: Past): Promise<number> =>
  (await panel.get<{ nowMs: number }>('/world.json')).nowMs;

const nudge = ({ bot }: Past) => ask(bot, '/nudge', 'POST');

async function traderOf({ db, userIdOf }: Past, name: string): Promise<Trader> {
  const userId = userIdOf(name);
  const [account] = await db.read.select().from(steamAccounts).where(eq(steamAccounts.userId, userId));
  return { userId, steamId: account?.steamId ?? '' };
}

const firstPick = { perKind: 4, kinds: 8, skip: 0 };
const laterPick = { perKind: 3, kinds: 3, skip: 8 };

interface SteamPiece {
  assetid: string;
  classid: string;
  instanceid: string;
  wear?: string;
}

/**
 * The pieces of somebody's inventory that are of these known kinds. The bot reads one inventory every few seconds, so
 * that reading each owner's would take the start too long.
 */
async function piecesOf({ panel }: Past, { steamId }: Trader, known: readonly Asset[]): Promise<Asset[]> {
  const { items } = await panel.get<{ items: SteamPiece[] }>(`/steam/users/${steamId}/inventory.json`);
  return items.flatMap(({ assetid, classid, instanceid, wear }) => {
    const kind = known.find((each) => each.classId === classid && each.instanceId === instanceid);
    return kind ? [{ ...kind, assetId: assetid, wear: wear ? Number(wear).toFixed(9) : '' }] : [];
  });
}

/** The deposits with which everything begins. The demo's streamer has every kind. */
async function depositFirst(past: Past): Promise<void> {
  const owner = await traderOf(past, streamer);
  const known = await readTradable(past, owner, COUNTER_STRIKE);
  const deposits = [{ name: streamer, trader: owner, assets: pickAssets(known, firstPick) }];
  for (const { name } of otherChannels) {
    const trader = await traderOf(past, name);
    deposits.push({ name, trader, assets: await piecesOf(past, trader, known) });
  }
  await Promise.all(
    deposits.map(({ name, trader, assets }) =>
      deposit(past, trader, { requestId: past.idOf(`first deposit of ${name}`), assets }),
    ),
  );
}

/** More items, which are still locked when the demo opens. */
async function depositLater(past: Past): Promise<void> {
  const pick = { requestId: past.idOf('later deposit'), appId: COUNTER_STRIKE, ...laterPick };
  await stock(past, await traderOf(past, streamer), pick);
}

/** Moves the clock to a time that is noted before, so that taking the step again leads no further. */
async function passCooldown(past: Past): Promise<void> {
  const nowMs = await nowOf(past);
  const ms = past.timeOf('end of the cooldown', nowMs + 8 * day) - nowMs;
  if (ms > 0) await past.panel.post('/clock/advance', { ms });
}

const ruleIdOf = (past: Past, owner: string): string => past.idOf(`rule of ${owner}`);

/** So many different items that can be given, of which the rarest is given last. */
async function pickKinds({ db }: Past, ownerId: string, amount: number, nowMs: number) {
  const { rows } = await listCustody(db, { ownerId, filter: 'available', order: 'rarity' }, nowMs);
  const names = [...new Set(rows.map(({ marketHashName }) => marketHashName))].slice(0, amount);
  return names.toReversed().flatMap((name) => {
    const kind = rows.find(({ marketHashName }) => marketHashName === name);
    return kind ? { appId: kind.appId, marketHashName: name, traits: kind.traits, quantity: 1 } : [];
  });
}

async function openRules(past: Past): Promise<void> {
  const { db } = past;
  const nowMs = await nowOf(past);
  for (const { owner, draft, items } of rules) {
    const userId = past.userIdOf(owner);
    const kinds = await pickKinds(past, userId, items, nowMs);
    const opened = await createRule(db, { requestId: ruleIdOf(past, owner), userId, draft, kinds }, nowMs);
    if (!opened.ok) throw new Error(`the demo rule of ${owner} was refused: ${opened.code}`);
  }
  await nudge(past);
}

/** Waits until somebody is promised a reward of a rule, and returns its id. */
const promisedTo = (past: Past, owner: string, name: string): Promise<string> =>
  until(async () => {
    const [reward] = await past.db.read
      .select({ id: rewards.id })
      .from(rewards)
      .where(and(eq(rewards.ruleId, ruleIdOf(past, owner)), eq(rewards.userId, past.userIdOf(name))));
    return reward?.id ?? null;
  }, `the reward for ${name}`);

/** Claims as viewers do, and accepts the offers on Steam. */
async function claimAll(past: Past): Promise<void> {
  const { db } = past;
  const claimed = await Promise.all(
    claims.map(async ([owner, name]) => {
      const rewardId = await promisedTo(past, owner, name);
      const asked = await claimReward(db, { rewardId, userId: past.userIdOf(name) }, await nowOf(past));
      if (!asked.ok && asked.code !== 'alreadyClaimed')
        throw new Error(`the demo claim of ${name} was refused: ${asked.code}`);
      return { rewardId, name };
    }),
  );
  await nudge(past);
  await Promise.all(
    claimed.map(async ({ rewardId, name }) => {
      const [transfer] = await db.read
        .select({ id: transfers.id })
        .from(transfers)
        .where(eq(transfers.rewardId, rewardId))
        .orderBy(desc(transfers.id));
      if (transfer) await acceptOffer(past, transfer.id, await traderOf(past, name));
    }),
  );
}

/** Streams on all channels for a while, so that they have a title and a game. */
async function stream(past: Past): Promise<void> {
  const { db, panel } = past;
  const owners = [
    { name: streamer, stream: { title: 'Playing with viewers', gameName: 'Counter-Strike' } },
    ...otherChannels,
  ];
  const accounts = await db.read
    .select({ userId: twitchAccounts.userId, id: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(
      inArray(
        twitchAccounts.userId,
        owners.map(({ name }) => past.userIdOf(name)),
      ),
    );
  const ids = accounts.map(({ id }) => id);
  for (const { name, stream } of owners) {
    const { id } = accounts.find(({ userId }) => userId === past.userIdOf(name)) ?? {};
    await panel.post(`/twitch/${id}/live`, stream);
  }
  await nudge(past);
  await until(async () => {
    const rows = await db.read.select().from(channels).where(inArray(channels.id, ids));
    return rows.every(({ title }) => title !== '') ? true : null;
  }, 'the streams of the demo');
  for (const id of ids) await panel.post(`/twitch/${id}/offline`, {});
}

/**
 * The steps in which the demo gets its past, by the name that its notes keep. What is under way at the same time waits
 * for Steam together.
 */
export const pastSteps: Readonly<Record<string, (past: Past) => Promise<unknown>>> = {
  firstDeposits: depositFirst,
  cooldown: passCooldown,
  rules: openRules,
  present: (past) => Promise.all([depositLater(past), claimAll(past).then(() => stream(past))]),
  unclaimed: (past) => promisedTo(past, ...unclaimed),
};
