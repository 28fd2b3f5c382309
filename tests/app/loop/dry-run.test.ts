import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { loader } from '#app/routes/rules/dry-run.ts';
import { action } from '#app/routes/rules/new-rule.tsx';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let db: Database;
let streamer: Person;
let visitor: Visitor;

beforeEach(async () => {
  db = await database();
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
  const viewer = await addPerson(db);
  await db.transaction(async (tx) => {
    const rolledUpToMs = Math.floor(Date.now() / day) * day;
    await tx.update(channels).set({ rolledUpToMs }).where(eq(channels.id, streamer.twitchId));
  });
  await watchFor(db, streamer.twitchId, [
    [viewer.twitchId, 7200],
    ['stranger', 3600],
  ]);
});

const fields = (more: Record<string, string> = {}) => ({
  name: '-',
  watch: 'on',
  watchAmount: '1',
  watchUnit: 'hours',
  watchScope: 'allTime',
  claimTimeoutHours: '72',
  ...more,
});
const tried = async (more: Record<string, string> = {}, who = visitor) =>
  (await who.call(loader, `/rules/dry-run?${new URLSearchParams(fields(more))}`)).body.found;

test('The form can be tried as it is, with the same result as its review', async () => {
  const found = await tried();
  expect(found).toMatchObject({ viewers: 2, meeting: 2, registered: 1, atOnce: 1, unread: [] });
  const form = { ...fields(), requestId: newId(Date.now()) };
  const answer = await visitor.call(action, '/rules/new', { form });
  expect(answer.body.review.found).toEqual(found);
});

test('An unknown number is shown as unknown, not as nobody', async () => {
  expect(await tried({ watch: '', subscriber: 'on' })).toMatchObject({
    unread: ['subscribers'],
    nothingKnown: true,
    atOnce: null,
  });
});

test.each([
  ['no conditions', { watch: '' }],
  ['a fractional watch time', { watchAmount: '1.5' }],
  ['a channel by name', { channel: 'nordwind' }],
])('A form with %s finds nothing', async (_, more) => {
  expect(await tried(more as Record<string, string>)).toBeNull();
});

test('Nobody learns who watches a channel that does not admit them', async () => {
  const stranger = await visitorOf((await addStreamer(db)).userId);
  expect(await tried({ channel: streamer.twitchId }, stranger)).toBeNull();
  const unlinked = await tried({ channel: '1' });
  expect(unlinked).toBeNull();
});

test('Dry runs are rate limited', async () => {
  const path = `/rules/dry-run?${new URLSearchParams(fields())}`;
  let answer = await visitor.call(loader, path);
  for (let attempts = 0; attempts < 130 && answer.status !== 429; attempts++)
    answer = await visitor.call(loader, path);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
});
