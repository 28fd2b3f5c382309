import { events } from '#db/schema/outbox.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { writeOldOwner } from '#tests/benchmarks/history/old-owner.ts';
import { CHANNEL_LIFE_MS, MEMBERS_PER_CHANNEL, writePastChannel } from '#tests/benchmarks/history/past.ts';
import { type Present, writePresent } from '#tests/benchmarks/history/present.ts';
import { RowSink } from '#tests/benchmarks/history/row-sink.ts';
import { memberOf, Scribe } from '#tests/benchmarks/history/scribe.ts';
import { START_MS } from '#tests/support/fixtures.ts';

/** The time of a seeded database; domain time continues from here. */
export const AGED_MS = START_MS;
const YEARS_MS = 3 * 365 * day;
const REWARDS_PER_CHANNEL = 100;
const botIds = Array.from({ length: 10 }, (_, each) => `bot-${each}`);
/** The first streamers are each other's viewers, so they joined together. */
const FIRST_TOGETHER = 4;
const ENOUGH_ROWS = 50_000;

/** Fills an empty, migrated database. */
export async function writeHistory(sink: RowSink, rewards: number): Promise<Present> {
  const scribe = new Scribe(sink);
  const bornMs = AGED_MS - YEARS_MS;
  for (const id of botIds) scribe.bot(id, bornMs);
  const channels = rewards / REWARDS_PER_CHANNEL;
  const stepMs = Math.floor((YEARS_MS - CHANNEL_LIFE_MS - 30 * day) / channels);
  for (let number = 0; number < channels; number++) {
    const fromMs = bornMs + Math.max(0, number - FIRST_TOGETHER) * stepMs;
    writePastChannel(scribe, { number, botId: botIds[number % botIds.length] ?? '', fromMs, nowMs: AGED_MS });
    if (number >= FIRST_TOGETHER) await sink.flush(ENOUGH_ROWS);
  }
  scribe.writeEnded();
  const present = presentOf(sink);
  await sink.flush();
  // After the present, whose people are promised what is left of it.
  await writeOldOwner(sink, {
    botId: botIds[1] ?? '',
    given: (rewards / REWARDS_PER_CHANNEL) * MEMBERS_PER_CHANNEL,
    viewers: present.ordinaryOwners.slice(0, 6),
    nowMs: AGED_MS,
    flush: () => sink.flush(ENOUGH_ROWS),
  });
  await sink.flush();
  await writeEvents(scribe, sink, rewards);
  return present;
}

/** Known without a database, because it is the same in all. */
export function presentOf(sink = new RowSink(() => {})): Present {
  const scribe = new Scribe(sink, 2 ** 31);
  const present = writePresent(scribe, botIds, AGED_MS);
  scribe.writeEnded();
  return present;
}

/** Recent events of people of the past: older ones have been pruned. */
async function writeEvents(scribe: Scribe, sink: RowSink, amount: number): Promise<void> {
  const people = (amount / REWARDS_PER_CHANNEL) * MEMBERS_PER_CHANNEL;
  for (let each = 0; each < amount; each++) {
    const atMs = AGED_MS - 23 * hour + Math.floor((each * 23 * hour) / amount);
    const { userId } = memberOf((each * 7919) % people);
    const id = scribe.id(atMs);
    scribe.add(events, { id, userId, kind: 'account.changed', subjectId: userId, atMs });
    await sink.flush(ENOUGH_ROWS);
  }
  await sink.flush();
}
