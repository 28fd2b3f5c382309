import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { announcePromises } from '#bot/commands/announce-promises.ts';
import { channels } from '#db/schema/channel.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { STALE_AFTER_MS } from '#domain/chat/take-announcements.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { setStage, until } from '#tests/bot/twitch/stage.ts';
import { addBot, addStreamer } from '#tests/support/fixtures.ts';
import { addRaffle } from '#tests/support/raffles.ts';

type Row = typeof chatAnnouncements.$inferInsert;

/** A channel for which an announcement waits; its chat takes lines or not, as a test likes. */
async function setAnnouncing(waiting: Partial<Row>) {
  const stage = await setStage();
  const { db, deps } = stage;
  const streamer = await addStreamer(db);
  const { twitchId: channelId } = streamer;
  const [channel] = await db.read.select().from(channels).where(eq(channels.id, channelId));
  const createdAtMs = deps.clock.now();
  await db.transaction((tx) =>
    tx.insert(chatAnnouncements).values({
      ...{ id: newId(createdAtMs), channelId, names: [], others: 0, ruleName: '', createdAtMs },
      ...waiting,
    }),
  );
  const announcing = announcePromises(deps);
  const take = () => announcing([channel?.login ?? ''], 20);
  const stored = () => db.read.select().from(chatAnnouncements);
  return {
    ...{ ...stage, streamer, take, stored },
    /** Waits until as many are stored again, and until their chat has rested. */
    async comesBack(count: number) {
      await until(stored, (rows) => rows.length === count);
      stage.elapse(15 * second);
    },
  };
}

const named = { names: ['Demo_one', 'Demo_two'], others: 3, ruleName: 'Ten hours together' };
const drawn = (names: number): Partial<Row> => ({
  raffle: {
    ...{ kind: 'drawn', raffleId: newId(0), withoutAccount: [], hours: 24 },
    names: Array.from({ length: names }, (_, number) => `Demo_viewer_with_a_long_name_${number}`),
  },
});

test.each<[string, Partial<Row>]>([
  ['promises', named],
  ['an open rule', { line: 'Rule: https://keepsake.example/rules/1' }],
  ['a raffle’s winners', drawn(2)],
])('A line about %s that its chat does not take is said later, word for word', async (_what, waiting) => {
  const { take, stored, comesBack } = await setAnnouncing(waiting);
  const [line, ...more] = await take();
  expect([more.length, await stored()]).toEqual([0, []]);
  line?.onUnsent?.();
  line?.onUnsent?.();
  await comesBack(1);
  const again = await take();
  expect(again.map(({ text, isAnnouncement }) => [text, isAnnouncement])).toEqual([
    [line?.text, line?.isAnnouncement],
  ]);
});

test('Of an announcement in several lines those are said later that the chat did not take, in their order', async () => {
  const { take, comesBack } = await setAnnouncing(drawn(60));
  const lines = await take();
  expect(lines.length).toBeGreaterThan(3);
  const [first, ...others] = lines;
  first?.onTaken?.(null);
  for (const line of others) line.onUnsent?.();
  await comesBack(others.length);
  const again = await take();
  expect(again.map(({ text }) => text)).toEqual(others.map(({ text }) => text));
  expect(again.every(({ isAnnouncement }) => isAnnouncement)).toBe(true);
});

test('A chat that did not take a line rests, and one that takes none for too long never gets it', async () => {
  const { take, stored, comesBack, elapse } = await setAnnouncing(named);
  for (let waitedMs = 0; waitedMs < STALE_AFTER_MS; waitedMs += 15 * second) {
    const [line] = await take();
    expect(line).toBeDefined();
    line?.onUnsent?.();
    expect(await take()).toEqual([]);
    await comesBack(1);
  }
  elapse(15 * second);
  expect([await take(), await stored()]).toEqual([[], []]);
});

test('A line that waits for its turn is of use until its announcement is stale', async () => {
  const { take, elapse } = await setAnnouncing(named);
  elapse(30 * second);
  const askedAtMs = performance.now();
  const [line] = await take();
  const leftMs = (line?.untilMs ?? 0) - askedAtMs;
  expect(leftMs).toBeGreaterThan(STALE_AFTER_MS - 31 * second);
  expect(leftMs).toBeLessThan(STALE_AFTER_MS - 29 * second);
});

const sealed: Partial<Row> = {
  raffle: { kind: 'sealed', raffleId: newId(0), entries: 3, listHash: 'demo-hash', commitment: 'demo' },
};

test.each<[string, Partial<Row>, number]>([
  ['is not put back', named, 0],
  ['is put back if it has a closed list', sealed, 1],
])('A line that Twitch refuses for its words %s', async (_what, waiting, count) => {
  const { take, stored, db } = await setAnnouncing(waiting);
  const [line] = await take();
  line?.onRefused?.();
  // Writes come one after another, and this one last.
  await db.transaction(async () => {});
  expect(await stored()).toHaveLength(count);
});

test('Other lines of a chat that did not take one are known to rest with it', async () => {
  const { take, elapse } = await setAnnouncing(drawn(60));
  const [first, other] = await take();
  expect(other?.isResting?.()).toBe(false);
  first?.onUnsent?.();
  expect(other?.isResting?.()).toBe(true);
  elapse(10 * second);
  // It is no new refusal.
  other?.onUnsent?.();
  elapse(5 * second);
  expect(other?.isResting?.()).toBe(false);
});

test('The start of a raffle is of use until its end', async () => {
  const { streamer, take, db, deps } = await setAnnouncing(named);
  await take();
  await addBot(db);
  const endsInMs = 40 * second;
  await addRaffle(db, streamer, {}, deps.clock.now() + endsInMs - 5 * minute);
  const startedAtMs = deps.clock.now() - second;
  await db.transaction((tx) => tx.update(chatAnnouncements).set({ createdAtMs: startedAtMs }));
  const askedAtMs = performance.now();
  const [line] = await take();
  const leftMs = (line?.untilMs ?? 0) - askedAtMs;
  expect(leftMs).toBeGreaterThan(endsInMs - second);
  expect(leftMs).toBeLessThan(endsInMs + second);
});
