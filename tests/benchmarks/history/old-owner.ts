import { watchTimes } from '#db/schema/channel.ts';
import { NO_CHECK_SECONDS } from '#domain/condition/next-check.ts';
import { day, dayOf, hour, minute } from '#domain/kernel/time.ts';
import { RowSink } from '#tests/benchmarks/history/row-sink.ts';
import { type Item, type Member, memberOf, Scribe, type Streamer } from '#tests/benchmarks/history/scribe.ts';

/** Between the people of the present. */
const NUMBER = 8_000_050;
/** The ids of its scribe are those of no other one. */
const COUNT_FROM = 2 ** 30;
const LIFE_MS = 3 * 365 * day;
/** Items of one deposit, which are all given before the next one comes. */
const BATCH = 100;
/** One promise of so many times out. */
const TIMED_OUT = 4;
const KINDS = 20;
const FREE = 20;

/** A streamer whose one rule has been open for years. What is left of it does not depend on how much it has given. */
export interface OldOwner extends Streamer {
  ruleId: string;
}

interface Past {
  botId: string;
  /** Number of past people who were promised something, in the order of their numbers. */
  given: number;
  /** The people who are promised something now. */
  viewers: readonly Member[];
  nowMs: number;
  /** Writes complete rows. */
  flush(): Promise<void>;
}

/** Writes the streamer and the rule, the first thing of a new scribe: they are the same in every database. */
function begin(scribe: Scribe, nowMs: number) {
  const fromMs = nowMs - LIFE_MS;
  const owner = scribe.streamer(NUMBER, fromMs, {
    rolledUpToMs: dayOf(nowMs),
    watchedUntilMs: nowMs - day,
    followsReadAtMs: nowMs - hour,
  });
  return { fromMs, owner, rule: scribe.rule(owner, { name: 'Demo rule' }, fromMs + 8 * day) };
}

/** Known without a database. */
export function oldOwner(nowMs: number): OldOwner {
  const { owner, rule } = begin(new Scribe(new RowSink(() => {}), COUNT_FROM), nowMs);
  return { ...owner, ruleId: rule.id };
}

export async function writeOldOwner(sink: RowSink, past: Past): Promise<void> {
  const { botId, given, viewers, nowMs, flush } = past;
  const scribe = new Scribe(sink, COUNT_FROM);
  const { fromMs, owner, rule } = begin(scribe, nowMs);
  const stepMs = Math.floor((nowMs - fromMs - 40 * day) / (given + 1));
  const kindsFrom = (first: number, amount: number) =>
    Array.from({ length: amount }, (_, each) => (first + each) % KINDS);
  for (let from = 0; from < given; from += BATCH) {
    const size = Math.min(BATCH, given - from);
    const depositedAtMs = fromMs + from * stepMs;
    const items = scribe.deposit(owner, botId, kindsFrom(from, size), depositedAtMs);
    let passedOn: Item | undefined;
    for (let each = 0; each < size; each++) {
      const viewer = memberOf(from + each);
      const atMs = fromMs + 10 * day + (from + each) * stepMs;
      const item = passedOn ?? items.pop();
      if (!item) throw new Error('more promises than items');
      const reward = scribe.attach(rule, item, atMs, passedOn ? 'recall' : 'streamer');
      passedOn = undefined;
      watch(scribe, owner, viewer, 36_000);
      scribe.promise(rule, reward, viewer, atMs + minute);
      if (each % TIMED_OUT > 0) scribe.claim(reward, item, viewer, 'settled', atMs + hour);
      else {
        scribe.recall(reward, 'timedOut');
        passedOn = item;
      }
    }
    await flush();
  }
  const stock = scribe.deposit(owner, botId, kindsFrom(0, FREE), nowMs - 20 * day);
  const now = stock.map((item, place) => ({
    item,
    reward: scribe.attach(rule, item, nowMs - 10 * day + place),
  }));
  for (const [place, viewer] of viewers.entries()) {
    const { item, reward } = now[place] as (typeof now)[number];
    watch(scribe, owner, viewer, 7200);
    scribe.promise(rule, reward, viewer, nowMs - day);
    if (place % 2 === 1) scribe.claim(reward, item, viewer, 'sent', nowMs - hour);
  }
  scribe.writeEnded();
}

function watch(scribe: Scribe, { channelId }: Streamer, { twitchId }: Member, seconds: number): void {
  const watched = { channelId, twitchId, seconds, rolledSeconds: seconds };
  scribe.add(watchTimes, { ...watched, nextCheckSeconds: NO_CHECK_SECONDS });
}
