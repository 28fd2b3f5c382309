import { setImmediate } from 'node:timers/promises';
import { and, eq, gte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { findLastViewer } from '#domain/rule/last-viewer.ts';
import { countPromised, countWatching, type Trial } from '#domain/rule/try-slice.ts';

/** The results of a trial; the meanings are those of `DryRun`. */
interface TrialFound {
  viewers: number;
  meeting: number;
  registered: number;
  names: string[];
  /** Number of those meeting the rule who did not meet it before these days. */
  newly: number;
  atOnce: number;
}

const MAX_NAMES = 5;
/** Number of viewers decided at a time, so that a large channel does not hold up other requests. */
const VIEWERS_AT_ONCE = 10_000;

/**
 * Counts the viewers who watched since `fromMs`, those who meet the conditions, and those who would be
 * promised a reward at once. The channel is read by slices, whose counts add up; other work gets a turn
 * between them.
 */
export async function tryRule(
  db: Database,
  asked: Omit<Trial, 'openDayCounts'>,
  viewersAtOnce = VIEWERS_AT_ONCE,
): Promise<TrialFound> {
  const trial = { ...asked, openDayCounts: await opensWithin(db, asked) };
  const found = { viewers: 0, meeting: 0, registered: 0, newly: 0, atOnce: 0 };
  let named: Watching[] = [];
  for (let after = ''; ; await setImmediate()) {
    const last = await findLastViewer(db.read, { channelId: asked.channelId, after, size: viewersAtOnce });
    const { names, ...counts } = await countWatching(db, trial, { after, last }, MAX_NAMES);
    found.viewers += counts.viewers;
    found.meeting += counts.meeting;
    found.registered += counts.registered;
    found.newly += counts.newly;
    found.atOnce += await countPromised(db, trial, { after, last });
    named = [...named, ...names].sort(byWatching).slice(0, MAX_NAMES);
    if (last === null) return { ...found, names: named.map(({ name }) => name) };
    after = last;
  }
}

type Watching = Awaited<ReturnType<typeof countWatching>>['names'][number];
const byWatching = (one: Watching, other: Watching): number =>
  other.lately - one.lately || (one.twitchId < other.twitchId ? -1 : 1);

/**
 * Returns whether the open day is one of the last. If it is an older one, nobody knows when its unrolled time
 * was watched.
 */
async function opensWithin(
  db: Database,
  { channelId, fromMs }: { channelId: string; fromMs: number },
): Promise<boolean> {
  const isRecent = and(eq(channels.id, channelId), gte(channels.rolledUpToMs, fromMs));
  return (await db.read.$count(channels, isRecent)) > 0;
}
