import { beforeEach, expect, test, vi } from 'vitest';
import type { SentOffer, SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { OwnInventory } from '#bot/steam/transfers/own-inventory.ts';
import type { TestedEndpoint } from '#db/schema/self-test.ts';
import { isEndpointDoubted } from '#domain/bot/list-self-tests.ts';
import { recordSelfTest } from '#domain/bot/record-self-test.ts';
import { addPerson, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { holdTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene } from '#tests/support/scene.ts';
import { queueDeposit, uncertainDeposit } from '#tests/support/uncertain-deposit.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

/** Records the result of a self-test for one endpoint and game. */
const recordTest = (endpoint: TestedEndpoint, appId: number, difference: 'absent' | null) =>
  recordSelfTest(
    db,
    { botId, tests: [{ endpoint, appId, offers: 'accepted', difference, offerId: '1' }] },
    START_MS,
  );

test('A list that a self-test doubts proves nothing by itself, until it agrees again', async () => {
  const list = { offers: [] as SentOffer[], unreadable: 0 };
  const { offer, rounds, state } = await uncertainDeposit(list, async () => failure('steamBusy', 'later'));
  const known = await queueDeposit([730], await addPerson(db));
  await sendQueued(db, START_MS);
  const { offerId } = await transferOf(db, known);
  list.offers.push(offer(offerId ?? '', { message: 'of another transfer' }));
  await recordTest('list', 730, 'absent');
  await rounds(5);
  expect(await state()).toBe('uncertain');
  await recordTest('list', 730, null);
  await rounds(3);
  expect(await state()).toBe('queued');
});

test.each<TestedEndpoint>(['history', 'page', 'offer', 'inventory'])(
  'Absence is not concluded while a self-test doubts the %s of its game',
  async (endpoint) => {
    const { transferId, offer, rounds, page, work } = await uncertainDeposit({ offers: [], unreadable: 0 });
    if (endpoint === 'offer') {
      page.shown = { ok: true, value: ['9'] };
      page.offers['9'] = { ok: true, value: offer('9', { message: 'of somebody else' }) };
    }
    if (endpoint === 'inventory') {
      // The streamer's own no longer shows the items, and the bot's does not show them yet.
      work.inventory = new OwnInventory((appId) =>
        isEndpointDoubted(db.read, { botId, endpoint, appIds: [appId] }),
      );
      const account = work.account() as SteamAccount;
      account.inventory = async () => ({ ok: true, value: [] });
    }
    await recordTest(endpoint, 440, null);
    await recordTest(endpoint, 730, 'absent');
    await rounds(20);
    expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 0 });
    await recordTest(endpoint, 730, null);
    await recordTest(endpoint, 440, 'absent');
    await rounds(60);
    expect((await transferOf(db, transferId)).state).toBe('queued');
  },
);

test('An open offer that is not listed ends by its id alone only if that is not doubted', async () => {
  const list = { offers: [] as SentOffer[], unreadable: 0 };
  const { offer, rounds, state, page } = await uncertainDeposit(list);
  const known = await queueDeposit([730], await addPerson(db));
  await sendQueued(db, START_MS);
  const { offerId } = await transferOf(db, known);
  page.offers[offerId ?? ''] = {
    ok: true,
    value: offer(offerId ?? '', { message: 'other', state: 'Declined' }),
  };
  await recordTest('offer', 730, 'absent');
  await rounds(20);
  expect(await state()).toBe('uncertain');
  await recordTest('offer', 730, null);
  await rounds(60);
  expect(await state()).toBe('queued');
});
