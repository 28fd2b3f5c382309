import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { announcePromises } from '#bot/commands/announce-promises.ts';
import { channels } from '#db/schema/channel.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { STALE_AFTER_MS } from '#domain/chat/take-announcements.ts';
import { newId } from '#domain/kernel/id.ts';
import { second } from '#domain/kernel/time.ts';
import { setStage, until } from '#tests/bot/twitch/stage.ts';
import { addStreamer } from '#tests/support/fixtures.ts';

type Row = typeof chatAnnouncements.$inferInsert;

/** A channel for which an announcement waits; its chat takes lines or not, as a test likes. */
async function setAnnouncing(waiting: Partial<Row>) {
  const stage = await setStage();
  const { db, deps } = stage;
  const { twitchId: channelId } = await addStreamer(db);
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
    ...{ ...stage, take, stored },
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
