// The cost of pages and workers on a database with a million past rewards and transfers, compared with one
// with ten thousand. The present is identical in both: the reader has the same items, rules, rewards and
// transfers. Reports for each the median CPU and wall time in both and the ratio of CPU, measured
// alternately; the result is the worst ratio.

import { rmSync } from 'node:fs';
import { type Database, openSqlite } from '#db/database.ts';
import { liveTransferStates } from '#db/schema/transfer.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { getReadiness } from '#domain/account/get-readiness.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { listClaimsToCheck } from '#domain/claim/list-claims-to-check.ts';
import { listChances } from '#domain/draw/list-chances.ts';
import { getCustodyTotals, listCustody } from '#domain/item/list-custody.ts';
import { day, dayOf, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { listRulePromises, listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { listRuleViewers } from '#domain/rule/list-rule-viewers.ts';
import { getRule, listRules } from '#domain/rule/list-rules.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { listTransfers, withSteps } from '#domain/transfer/list-transfers.ts';
import { countRewards } from '#domain/view/count-rewards.ts';
import { getChannelDays } from '#domain/view/get-channel-days.ts';
import { getRuleProof } from '#domain/view/get-proof.ts';
import { getTasks } from '#domain/view/get-tasks.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { rollUpChannels } from '#domain/watch-time/roll-up-channels.ts';
import { oldOwner } from '#tests/benchmarks/history/old-owner.ts';
import type { Present } from '#tests/benchmarks/history/present.ts';
import { AGED_MS } from '#tests/benchmarks/history/write-history.ts';
import { type Cost, compare, costOf, rounded } from '#tests/benchmarks/measure.ts';
import { type Age, copyOfAged } from '#tests/benchmarks/seed-history.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { owned } from '#tests/support/looking.ts';

const ROUNDS = 7;
/** Runs per measurement. */
const TIMES = 5;
const TOO_LONG_MS = 2000;

interface Store {
  db: Database;
  raw: BetterSqlite.Database;
  present: Present;
  close(): Promise<void>;
}

async function openAged(rewards: Age): Promise<Store> {
  const { file, folder, present } = await copyOfAged(rewards);
  const [db, raw] = [await openSqlite(file), new BetterSqlite(file)];
  const close = async () => {
    await db.close();
    raw.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { db, raw, present, close };
}

interface Deed {
  /** Prepares a run, unmeasured; receives the number of the run. */
  before?: (store: Store, time: number) => void;
  run: (store: Store, time: number) => Promise<unknown>;
}

const deeds: Record<string, Deed> = {
  custody: {
    run: ({ db, present: { owner } }) =>
      Promise.all([
        listCustody(db, { ownerId: owner.userId, search: '' }, AGED_MS),
        getCustodyTotals(db, { ownerId: owner.userId }, AGED_MS),
      ]),
  },
  transfers: {
    run: async ({ db, present: { owner } }) =>
      withSteps(db, (await listTransfers(db, { userId: owner.userId })).rows),
  },
  oldTransfers: {
    run: async ({ db }) =>
      withSteps(db, (await listTransfers(db, { userId: oldOwner(AGED_MS).userId })).rows),
  },
  oldRules: { run: ({ db }) => listRules(db, { ownerId: oldOwner(AGED_MS).userId }) },
  oldRulePage: {
    run: ({ db }) =>
      Promise.all([
        listRuleRewards(db, owned(oldOwner(AGED_MS).ruleId)),
        listRulePromises(db, owned(oldOwner(AGED_MS).ruleId), { size: 10 }),
      ]),
  },
  rules: { run: ({ db, present: { owner } }) => listRules(db, { ownerId: owner.userId }) },
  rulePage: { run: readRulePage },
  progress: { run: readProgress },
  dashboard: {
    run: async ({ db, present: { owner } }) => {
      await getAccount(db, owner);
      await getReadiness(db, owner);
      await getChannelDays(db, { channelId: owner.channelId, period: 90 }, AGED_MS);
      await countRewards(db, { ownerId: owner.userId, sinceMs: AGED_MS - 90 * day });
      await getTasks(db, { ownerId: owner.userId, untilMs: AGED_MS + 7 * day }, AGED_MS);
    },
  },
  lease: { before: queueAgain, run: lease },
  survey: {
    run: async ({ db: { read }, present: { botId } }) => {
      await listWatchedChannels(read);
      await listBotTransfers(read, { botId, states: liveTransferStates });
      await listBotTransfers(read, { botId, states: ['accepted'] });
      await listClaimsToCheck(read, { botId }, AGED_MS);
    },
  },
  expiry: { before: letOneEnd, run: ({ db }) => expirePromises(db, AGED_MS, AGED_MS) },
  rollUp: { before: watchOneDay, run: ({ db }, time) => rollUpChannels(db, turnOf(time)) },
};

function readRulePage({ db, present: { owner, rules } }: Store): Promise<unknown> {
  const ruleId = rules.drawn;
  return Promise.all([
    getRule(db, { ruleId, ownerId: owner.userId }),
    listRuleRewards(db, owned(ruleId)),
    listRuleViewers(db, owned(ruleId), { size: 10 }, AGED_MS),
    listRulePromises(db, owned(ruleId), { size: 10 }),
    getRuleProof(db, ruleId),
    listChances(db, [ruleId], AGED_MS),
  ]);
}

function readProgress({ db, present: { viewer } }: Store): Promise<unknown> {
  const { userId } = viewer;
  const rewardsIn = (states: Parameters<typeof listMyRewards>[1]['states'], size: number) =>
    listMyRewards(db, { userId, states, size });
  return Promise.all([
    rewardsIn(['promised'], 100),
    rewardsIn(['reserved'], 100),
    rewardsIn(['claimed', 'recalled'], 20),
    listProgress(db, { userId }, AGED_MS),
    getOutageMs(db.read, AGED_MS),
  ]);
}

const HOLDER = 'bench';

async function lease({ db, present: { botId } }: Store): Promise<void> {
  const leased = await leaseTransfers(db, { botId, holder: HOLDER, limit: 1 }, AGED_MS, AGED_MS);
  if (leased.length !== 1) throw new Error('nothing was leased');
}

function queueAgain({ raw }: Store): void {
  raw
    .prepare(
      `update transfers set state = 'queued', attempts = 0, lease_holder = null, lease_until_ms = 0
       where state = 'sending' and lease_holder = ?`,
    )
    .run(HOLDER);
}

/** A promise on an ordinary owner's rule or another has just expired; nobody waits for its item. */
function letOneEnd({ raw, present: { rules } }: Store): void {
  const ended = raw
    .prepare(
      `update rewards set claim_until_ms = ? where id =
         (select id from rewards where rule_id in (select id from rules where state = 'open' and id <> ?)
          and state = 'promised' limit 1)`,
    )
    .run(AGED_MS - 1, rules.waiting);
  if (ended.changes !== 1) throw new Error('no promise is left');
}

const turnOf = (time: number): number => dayOf(AGED_MS) + (time + 1) * day + minute;

/** The ordinary owners streamed on the day that has just ended. */
function watchOneDay({ raw, present: { ordinaryOwners } }: Store, time: number): void {
  const untilMs = turnOf(time) - 2 * minute;
  for (const { twitchId } of ordinaryOwners) {
    raw.prepare('update watch_times set seconds = seconds + 60 where channel_id = ?').run(twitchId);
    raw.prepare('update channels set watched_until_ms = ? where id = ?').run(untilMs, twitchId);
  }
}

/** Measures these runs, without their preparation. */
async function costOfDeed({ before, run }: Deed, store: Store, from: number, times: number): Promise<Cost> {
  const total = { cpuMs: 0, wallMs: 0 };
  for (let time = from; time < from + times; time++) {
    before?.(store, time);
    const cost = await costOf(() => run(store, time));
    total.cpuMs += cost.cpuMs / times;
    total.wallMs += cost.wallMs / times;
  }
  return total;
}

/** Measures both databases alternately. Anything slower than anybody would wait is measured once. */
async function compareAges(deed: Deed, old: Store, young: Store) {
  const [first, reference] = [await costOfDeed(deed, old, 0, 1), await costOfDeed(deed, young, 0, 1)];
  if (first.wallMs > TOO_LONG_MS)
    return {
      ratio: rounded(first.cpuMs / reference.cpuMs),
      cpuMs: rounded(first.cpuMs),
      wallMs: rounded(first.wallMs),
      referenceCpuMs: rounded(reference.cpuMs),
      referenceWallMs: rounded(reference.wallMs),
    };
  return compare({
    rounds: ROUNDS,
    subject: (round) => costOfDeed(deed, old, 1 + round * TIMES, TIMES),
    reference: (round) => costOfDeed(deed, young, 1 + round * TIMES, TIMES),
  });
}

export async function run(): Promise<Record<string, number>> {
  const young = await openAged(10_000);
  const old = await openAged(1_000_000);
  const ratios: Record<string, number> = {};
  for (const [name, deed] of Object.entries(deeds)) {
    const found = await compareAges(deed, old, young);
    ratios[name] = found.ratio;
    const cpu = `${found.referenceCpuMs} → ${found.cpuMs} ms CPU`;
    const wall = `${found.referenceWallMs} → ${found.wallMs} ms`;
    console.log(`${name.padEnd(10)} ${cpu.padEnd(32)} ${wall.padEnd(28)} ratio ${found.ratio}`);
  }
  await young.close();
  await old.close();
  return { ratio: Math.max(...Object.values(ratios)), ...ratios };
}
