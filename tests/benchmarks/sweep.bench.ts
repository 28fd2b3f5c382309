// The full sweep of a channel with 100,000 registered viewers and 20 rules with mixed conditions: who meets which rule,
// 500 new qualifications among several hundred thousand known ones, and their promises, in one transaction. Reference:
// the raw upsert of those viewers with better-sqlite3 into a table with the same key in the same file, in one
// transaction. Both FULL. Also printed: how long one transaction held the store at most, in those sweeps, in the first
// one, which lists hundreds of thousands, and while two rules were opened: one that most viewers already meet, and one
// that takes everybody's baseline.
import { rmSync } from 'node:fs';
import { count } from 'drizzle-orm';
import { type Database, openSqlite } from '#db/database.ts';
import { qualifications } from '#db/schema/rule.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { crowdOf, promising, rawUpsert, registerCrowd } from '#tests/benchmarks/crowd.ts';
import { compare, costOf } from '#tests/benchmarks/measure.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';
import { timingHolds } from '#tests/benchmarks/timing-holds.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import {
  addBot,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  START_MS,
} from '#tests/support/fixtures.ts';

const VIEWERS = 100_000;
const RULES = 20;
const NEW_PER_RULE = 25;
const ROUNDS = 9;
const SECONDS = 60;
/** A bot that holds more splits a deposit of a hundred items. */
const ITEMS_PER_BOT = 500;

/** Five kinds of rules, four of each: watch time in both scopes, a follow, a subscription, and all together. */
const asked = (rule: number): Partial<RuleDraft> => {
  const step = Math.floor(rule / 5) + 1;
  const subscriberTier = ((step % 3) + 1) as 1 | 2 | 3;
  const kinds: Partial<RuleDraft>[] = [
    { watchMinutes: 600 * step, watchScope: 'allTime' },
    { watchMinutes: 400 * step, watchScope: 'sinceRule' },
    { watchMinutes: null, followDays: 100 * step },
    { watchMinutes: null, subscriberTier },
    { watchMinutes: 300 * step, watchScope: 'allTime', followDays: 30 * step, subscriberTier },
  ];
  return kinds[rule % kinds.length] ?? {};
};

export async function run(options: BenchOptions) {
  const { file, folder } = await makeBenchFile(options);
  const { db, longestHoldMs } = timingHolds(await openSqlite(file));
  const raw = new BetterSqlite(file);
  raw.pragma('synchronous = FULL');
  const streamer = await addStreamer(db);
  for (let items = 0; items < itemsPerRule * RULES; items += ITEMS_PER_BOT) await addBot(db);
  await stock(db, streamer);
  const twitchIds = crowdOf(VIEWERS);
  registerCrowd(raw, twitchIds);
  await openRules(db, streamer);
  letThemWatch(raw, streamer.twitchId, twitchIds);
  const sweep = (round: number) => evaluateChannel(db, streamer.twitchId, START_MS + round * minute);
  longestHoldMs();
  await sweep(1);
  const longestHoldOfFirstMs = longestHoldMs();
  raw
    .prepare(
      'update qualifications set promised_at_ms = 1 where rule_id in (select id from rules where channel_id = ?)',
    )
    .run(streamer.twitchId);
  await fillRules(db, raw, streamer);
  const reference = rawUpsert(raw);
  reference(streamer.twitchId, twitchIds, SECONDS);

  longestHoldMs();
  const findings = await compare({
    rounds: ROUNDS,
    before: (round) => clearSome(raw, streamer.twitchId, round),
    subject: (round) => promising(db, NEW_PER_RULE * RULES, () => sweep(round + 2)),
    reference: () => costOf(() => reference(streamer.twitchId, twitchIds, SECONDS)),
  });
  const longestHoldOfSweepsMs = longestHoldMs();
  await addRule(db, streamer, { watchMinutes: 600, watchScope: 'allTime', rewards: 0 });
  await addRule(db, streamer, { watchMinutes: 60, watchScope: 'sinceRule', rewards: 0 });
  const longestHoldOfOpeningMs = longestHoldMs();
  const [pairs] = await db.read.select({ known: count() }).from(qualifications);
  raw.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    ...findings,
    promised: NEW_PER_RULE * RULES,
    knownPairs: Number(pairs?.known ?? 0),
    longestHoldMs: longestHoldOfSweepsMs,
    longestHoldOfFirstMs,
    longestHoldOfOpeningMs,
  };
}

async function openRules(db: Database, streamer: Person) {
  for (let rule = 0; rule < RULES; rule++)
    await addRule(db, streamer, { ...asked(rule), name: `Demo rule ${rule}`, rewards: 0 });
}

/** Everyone watched up to 50 hours, most of it since the rules began; 60% follow, 25% subscribe. */
function letThemWatch(raw: BetterSqlite.Database, channelId: string, twitchIds: readonly string[]) {
  const watch = raw.prepare('insert into watch_times values (?, ?, ?, ?, 0, null, null, null)');
  const baseline = raw.prepare('insert into watch_baselines values (?, ?, ?)');
  const follow = raw.prepare('insert into follows values (?, ?, ?, 0)');
  const subscribe = raw.prepare('insert into subscribers (channel_id, twitch_id, tier) values (?, ?, ?)');
  const sinceRule = raw
    .prepare(`select id from rules where channel_id = ? and watch_scope = 'sinceRule'`)
    .pluck()
    .all(channelId);
  raw.transaction(() => {
    for (const [place, id] of twitchIds.entries()) {
      watch.run(channelId, id, (place * 31) % 180_000, 2 ** 52);
      for (const ruleId of sinceRule)
        if (place % 3 === 0) baseline.run(ruleId, id, ((place * 31) % 180_000) >> 2);
      if (place % 5 < 3) follow.run(channelId, id, START_MS - ((place * 17) % 600) * day);
      if (place % 4 === 0) subscribe.run(channelId, id, (place % 3) + 1);
    }
  })();
}

const itemsPerRule = NEW_PER_RULE * (ROUNDS + 1);

async function stock(db: Database, streamer: Person) {
  for (let left = itemsPerRule * RULES; left > 0; left -= 100) {
    const assets = Array.from({ length: Math.min(100, left) }, () => asset());
    await deposit(db, streamer, assets, START_MS - 8 * day);
  }
}

async function fillRules(db: Database, raw: BetterSqlite.Database, streamer: Person) {
  for (const ruleId of rulesOf(raw, streamer.twitchId)) {
    const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: itemsPerRule }];
    const attached = await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS);
    if (!attached.ok) throw new Error(attached.code);
  }
}

const rulesOf = (raw: BetterSqlite.Database, channelId: string) =>
  raw.prepare('select id from rules where channel_id = ?').pluck().all(channelId) as string[];

/** Before each round, the qualifications of 25 viewers per rule are removed. */
function clearSome(raw: BetterSqlite.Database, channelId: string, round: number) {
  const clear = raw.prepare(
    `delete from qualifications where (rule_id, twitch_id) in
       (select rule_id, twitch_id from qualifications where rule_id = ? and promised_at_ms = 1
        order by twitch_id limit ? offset ?)`,
  );
  raw.transaction(() => {
    for (const ruleId of rulesOf(raw, channelId)) clear.run(ruleId, NEW_PER_RULE, round * 40);
  })();
}
