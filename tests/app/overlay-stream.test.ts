import { RouterContextProvider } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import type { Notice, ShownBoard, ShownRaffle } from '#app/overlay/protocol.ts';
import { takeEvents } from '#app/overlay/stream.ts';
import { loader } from '#app/routes/overlay/overlay-events.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { second } from '#domain/kernel/time.ts';
import { getOverlaySecrets } from '#domain/overlay/overlay.ts';
import { openOverlay, stopOverlay } from '#domain/overlay/set-overlay.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { addBot, addPerson, addRule, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { addRaffle, enter } from '#tests/support/raffles.ts';
import { watchFor } from '#tests/support/watching.ts';
import { setWeb } from './support/web.ts';

await setWeb();

let db: Database;
let streamer: Person;
const ends: (() => void)[] = [];
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Opens the stream of a streamer's overlay, and gathers what it tells. */
async function follow({ userId }: Person): Promise<Notice[]> {
  await openOverlay(db, { userId, locale: 'en' }, Date.now());
  const { overlay } = (await getOverlaySecrets(db.read, userId)) ?? { overlay: '' };
  const closing = new AbortController();
  ends.push(() => closing.abort());
  const context = new RouterContextProvider();
  context.set(clientAddressContext, '10.0.0.7');
  const request = new Request('http://localhost/overlay/events', {
    headers: { 'Overlay-Keys': `overlay:${overlay}` },
    signal: closing.signal,
  });
  const answer = await loader({ request, context, params: {} } as never);
  const notices: Notice[] = [];
  const read = async () => {
    let text = '';
    for await (const part of answer.body ?? []) {
      const { events, rest } = takeEvents(text + Buffer.from(part).toString());
      text = rest;
      notices.push(...events.map(({ data }) => JSON.parse(data) as Notice));
    }
  };
  void read().catch(() => {});
  await vi.waitFor(() => expect(notices.map(({ kind }) => kind)).toContain('raffle'));
  return notices;
}

const raffleIn = (notices: readonly Notice[]): ShownRaffle | null =>
  notices.flatMap((notice) => (notice.kind === 'raffle' ? [notice.raffle] : [])).at(-1) ?? null;
const boardIn = (notices: readonly Notice[]): ShownBoard | null =>
  notices.flatMap((notice) => (notice.kind === 'board' ? [notice.board] : [])).at(-1) ?? null;
const momentsIn = (notices: readonly Notice[]) =>
  notices.flatMap((notice) => (notice.kind === 'moment' ? [notice.moment] : []));
const soon = (check: () => void) => vi.waitFor(check, { timeout: 15 * second, interval: 50 });

test('An overlay is told of a raffle as it starts, with the time that is left, and as it is cancelled', async () => {
  const notices = await follow(streamer);
  expect(raffleIn(notices)).toBeNull();
  const raffleId = await addRaffle(db, streamer, { winners: 2 }, Date.now());
  await soon(() =>
    expect(raffleIn(notices)).toMatchObject({ state: 'running', keyword: 'redline', entries: 0 }),
  );
  const { leftMs = 0 } = raffleIn(notices) ?? {};
  expect(leftMs).toBeLessThanOrEqual(300_000);
  expect(leftMs).toBeGreaterThan(240_000);
  await cancelRaffle(db, { raffleId }, Date.now());
  await soon(() => expect(raffleIn(notices)).toBeNull());
});

test('The entries of a raffle are told without an event of theirs, and nothing of it while the overlay is stopped', async () => {
  const raffleId = await addRaffle(db, streamer, {}, Date.now());
  const notices = await follow(streamer);
  const people = [await addPerson(db), await addPerson(db), await addPerson(db)];
  const twitchIds = people.map(({ twitchId }) => twitchId);
  const { twitchId: channelId } = streamer;
  await enter(db, raffleId, { channelId, twitchIds: twitchIds.slice(0, 1), nowMs: Date.now() });
  await soon(() => expect(raffleIn(notices)).toMatchObject({ entries: 1 }));
  await enter(db, raffleId, { channelId, twitchIds: twitchIds.slice(1), nowMs: Date.now() });
  await soon(() => expect(raffleIn(notices)).toMatchObject({ entries: 3 }));
  await stopOverlay(db, { userId: streamer.userId, stops: true }, Date.now());
  await soon(() => expect(raffleIn(notices)).toBeNull());
  await stopOverlay(db, { userId: streamer.userId, stops: false }, Date.now());
  await soon(() => expect(raffleIn(notices)).toMatchObject({ entries: 3 }));
});

test('Promises of two streamers at once reach the overlay of each, behind the new count of its pool', async () => {
  const other = await addStreamer(db);
  const [own, others] = [await follow(streamer), await follow(other)];
  const viewers = [await addPerson(db), await addPerson(db), await addPerson(db)];
  const nowMs = Date.now();
  await promiseTo(db, streamer, viewers.slice(0, 1), { name: 'Ten minutes', nowMs });
  await promiseTo(db, other, viewers.slice(1), { name: 'Half an hour', nowMs });
  await soon(() => expect(momentsIn(own)).toHaveLength(1));
  await soon(() => expect(momentsIn(others)).toHaveLength(2));
  expect(momentsIn(own)).toMatchObject([{ kind: 'earned', ruleName: 'Ten minutes' }]);
  expect(momentsIn(others).map(({ ruleName }) => ruleName)).toEqual(['Half an hour', 'Half an hour']);
  expect(JSON.stringify(own)).not.toContain(viewers[0]?.twitchId);
  await soon(() =>
    expect(boardIn(others)).toMatchObject({
      ruleName: 'Half an hour',
      pool: { given: 0, pending: 2, free: 0 },
    }),
  );
});

test('Who comes closest is told once it was read, and a hidden name goes without a new reading', async () => {
  const [near, far] = [await addPerson(db), await addPerson(db)];
  await addRule(db, streamer, { name: 'Ten hours together', watchMinutes: 600, rewards: 1 });
  await watchFor(db, streamer.twitchId, [
    [far.twitchId, 1_800],
    [near.twitchId, 7_200],
  ]);
  const notices = await follow(streamer);
  const names = () => boardIn(notices)?.next.map(({ name }) => name);
  const nameOf = ({ twitchId }: Person) => `Demo_Person_${Number(twitchId) - 50_000}`;
  await soon(() => expect(names()).toEqual([nameOf(near), nameOf(far)]));
  await setPreferences(db, { userId: near.userId, preferences: { hidesName: true } });
  await soon(() => expect(names()).toEqual([null, nameOf(far)]));
});
