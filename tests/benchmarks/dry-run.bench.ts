// A dry run on a channel that 100,000 people have watched: of twenty, one on every second day, five on every tenth, the
// others once in sixty days; 30% are registered, 60% follow, 25% subscribe. Four drafts: watch time since the rule
// began, of all time, a follow, and all conditions together. Reference: the raw upsert of those viewers with
// better-sqlite3 into a table with the same key in the same file, FULL, one transaction. The ratio is the slowest
// draft's; also reported is how long a dry run blocked the process at a time.
import { rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { openSqlite } from '#db/database.ts';
import { day } from '#domain/kernel/time.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { dryRun } from '#domain/view/dry-run.ts';
import { crowdOf, rawUpsert, registerCrowd } from '#tests/benchmarks/crowd.ts';
import { compare, costOf, median, rounded } from '#tests/benchmarks/measure.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { addBot, addStreamer, asset, deposit, draft, START_MS } from '#tests/support/fixtures.ts';

const VIEWERS = 100_000;
const ROUNDS = 7;
const DAYS = 60;
const SECONDS = 60;

const drafts: Record<string, Partial<RuleDraft>> = {
  sinceRule: { watchMinutes: 240 },
  allTime: { watchMinutes: 600, watchScope: 'allTime' },
  follow: { watchMinutes: null, followDays: 30 },
  all: { watchMinutes: 600, watchScope: 'allTime', followDays: 30, subscriberTier: 1 },
};

export async function run(options: BenchOptions) {
  const { file, folder } = await makeBenchFile(options);
  const db = await openSqlite(file);
  const raw = new BetterSqlite(file);
  raw.pragma('synchronous = FULL');
  const streamer = await addStreamer(db);
  await addBot(db);
  const assets = Array.from({ length: 20 }, () => asset());
  await deposit(db, streamer, assets, START_MS - 8 * day);
  const twitchIds = crowdOf(VIEWERS);
  registerCrowd(
    raw,
    twitchIds.filter((_, place) => place % 10 < 3),
  );
  letThemWatch(raw, streamer.twitchId, twitchIds);
  const upsert = rawUpsert(raw);
  upsert(streamer.twitchId, twitchIds, SECONDS);
  const held: number[] = [];
  const found = [];
  for (const [name, facts] of Object.entries(drafts)) {
    const asked = { userId: streamer.userId, channelId: null, draft: draft(facts) };
    const look = async () => {
      const turns = watchTurns();
      const outcome = await dryRun(db, asked, START_MS);
      held.push(turns.longestMs());
      if (!outcome.ok || outcome.found.meeting === 0 || outcome.found.viewers === 0)
        throw new Error('the dry run found nobody');
    };
    const findings = await compare({
      rounds: ROUNDS,
      subject: () => costOf(look),
      reference: () => costOf(() => upsert(streamer.twitchId, twitchIds, SECONDS)),
    });
    found.push({ name, findings });
  }
  raw.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  const slowest = found.reduce((a, b) => (a.findings.ratio >= b.findings.ratio ? a : b));
  return {
    ...slowest.findings,
    ...Object.fromEntries(found.map(({ name, findings }) => [`${name}Ratio`, findings.ratio])),
    heldMs: rounded(median(held)),
  };
}

/** The longest time that the event loop was blocked. */
function watchTurns() {
  let [last, longest, over] = [performance.now(), 0, false];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  const longestMs = () => {
    look();
    over = true;
    return longest;
  };
  return { longestMs };
}

/** Most people come to a channel once; a few nearly always. */
function daysBetween(place: number): number {
  if (place % 20 === 0) return 2;
  return place % 20 <= 5 ? 10 : DAYS;
}

/** The current day's watch time, not rolled up yet. */
function letThemWatch(raw: BetterSqlite.Database, channelId: string, twitchIds: readonly string[]) {
  const today = Math.floor(START_MS / day) * day;
  raw
    .prepare(
      'update channels set rolled_up_to_ms = ?, follows_read_at_ms = 1, subscribers_read_at_ms = 1 where id = ?',
    )
    .run(today, channelId);
  const watch = raw.prepare('insert into watch_times values (?, ?, ?, ?, ?, null, null, null)');
  const watchDay = raw.prepare('insert into watch_days values (?, ?, ?, ?)');
  const follow = raw.prepare('insert into follows values (?, ?, ?, 0)');
  const subscribe = raw.prepare('insert into subscribers (channel_id, twitch_id, tier) values (?, ?, ?)');
  const rolled = new Map<string, number>();
  raw.transaction(() => {
    // A day's rows are written together, at its end.
    for (let ago = DAYS; ago > 0; ago--)
      for (const [place, id] of twitchIds.entries()) {
        if ((place + ago) % daysBetween(place) !== 0) continue;
        const seconds = 600 + ((place * 31 + ago * 977) % 14_400);
        watchDay.run(channelId, today - ago * day, id, seconds);
        rolled.set(id, (rolled.get(id) ?? 0) + seconds);
      }
    for (const [place, id] of twitchIds.entries()) {
      const seconds = rolled.get(id) ?? 0;
      watch.run(channelId, id, seconds + (place % 17 === 0 ? 1800 : 0), 2 ** 52, seconds);
      if (place % 5 < 3) follow.run(channelId, id, START_MS - ((place * 17) % 600) * day);
      if (place % 4 === 0) subscribe.run(channelId, id, (place % 3) + 1);
    }
  })();
}
