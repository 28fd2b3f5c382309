import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import type { RaffleState } from '#db/schema/raffle.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { sealGrant, type TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { streamerScopes, viewerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { cancelRaffle, cancelRaffleOfRule } from '#domain/raffle/cancel-raffle.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { exportRaffle } from '#domain/raffle/export-raffle.ts';
import { findOwnRaffle } from '#domain/raffle/find-raffle.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { ANNOUNCED_FOR_MS, GRACE_MS, runRaffles } from '#domain/raffle/run-raffles.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { createVault } from '#platform/vault.ts';
import { addPerson, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { verifyPages } from '#tests/support/published-draws.ts';
import {
  addRaffle,
  drawRaffle,
  enter,
  placesOf,
  postLines,
  raffleDraft,
  raffleOf,
  rewardsOfRaffle,
  stock,
} from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const END_MS = START_MS + 5 * minute;
const SEALED_MS = END_MS + GRACE_MS;
const vault = createVault(`${'a'.repeat(43)}=`);
const grant: TwitchGrant = {
  accessToken: 'access',
  refreshToken: 'refresh',
  scopes: [...viewerScopes, ...streamerScopes],
  obtainedAtMs: START_MS,
  lifetimeSeconds: 14_000,
};

const statesOf = async (raffleId: string) =>
  (await rewardsOfRaffle(db, raffleId)).map(({ state }) => state).sort();

async function addPrepared(by: Parameters<typeof prepareRaffle>[1]['by'] = null): Promise<string> {
  await stock(db, streamer, 1);
  const requestId = newId(START_MS);
  const request = { requestId, userId: streamer.userId, draft: raffleDraft(), by };
  expect(await prepareRaffle(db, request, START_MS)).toMatchObject({ ok: true });
  return requestId;
}

/** A raffle in this state that one viewer entered. */
async function addIn(state: RaffleState, viewer?: string): Promise<string> {
  if (state === 'prepared') return addPrepared();
  const raffleId = await addRaffle(db, streamer);
  const twitchId = viewer ?? (await addPerson(db)).twitchId;
  await enter(db, raffleId, { channelId: streamer.twitchId, twitchIds: [twitchId] });
  if (state === 'sealed') await runRaffles(db, SEALED_MS);
  if (state === 'drawn') await drawRaffle(db);
  expect((await raffleOf(db, raffleId)).state).toBe(state);
  return raffleId;
}

async function unlink(nowMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    const sealed = sealGrant(vault, grant, `twitch:${streamer.twitchId}`);
    await tx.update(twitchAccounts).set(sealed).where(eq(twitchAccounts.userId, streamer.userId));
    await tx.update(users).set({ passwordHash: 'phc' }).where(eq(users.id, streamer.userId));
  });
  expect(await unlinkTwitch(db, { vault, userId: streamer.userId }, nowMs)).toMatchObject({ ok: true });
}

describe('When its owner leaves the channel', () => {
  test.each(['prepared', 'running'] as const)(
    'a raffle that is %s ends, and its items come back',
    async (state) => {
      const raffleId = await addIn(state);
      await unlink(START_MS + minute);
      expect(await raffleOf(db, raffleId)).toMatchObject({ state: 'cancelled', endReason: 'channelLeft' });
      expect(await statesOf(raffleId)).toEqual(['recalled']);
    },
  );

  test('a raffle whose list is closed is drawn all the same', async () => {
    const raffleId = await addIn('sealed');
    await unlink(SEALED_MS + second);
    await runRaffles(db, SEALED_MS + 3 * minute);
    expect(await raffleOf(db, raffleId)).toMatchObject({ state: 'drawn' });
    expect(await statesOf(raffleId)).toEqual(['promised']);
  });

  test('another owner can prepare a raffle there, and none of the first is started', async () => {
    const raffleId = await addPrepared();
    await unlink(START_MS + minute);
    const other = await addStreamer(db);
    await db.transaction(async (tx) => {
      await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, other.userId));
    });
    const { twitchId } = streamer;
    const person = { twitchId, login: 'handed_on', displayName: 'Handed_On', pictureUrl: '', email: '' };
    const link = { vault, userId: other.userId, person, grant };
    expect(await linkTwitch(db, link, START_MS + 2 * minute)).toEqual({ ok: true });
    await stock(db, other, 1);
    const requestId = newId(START_MS + 2 * minute);
    const request = { requestId, userId: other.userId, draft: raffleDraft() };
    expect(await prepareRaffle(db, request, START_MS + 2 * minute)).toMatchObject({ ok: true });
    expect(await startRaffle(db, { raffleId }, START_MS + 2 * minute)).toMatchObject({ ok: false });
    expect(await statesOf(raffleId)).toEqual(['recalled']);
  });
});

test('A raffle is found by its owner, and does not start on a channel that is another’s by now', async () => {
  const raffleId = await addPrepared();
  const other = await addPerson(db);
  await db.transaction(async (tx) => {
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, other.userId));
    await tx
      .update(twitchAccounts)
      .set({ userId: other.userId })
      .where(eq(twitchAccounts.twitchId, streamer.twitchId));
  });
  expect(await findOwnRaffle(db.read, streamer.userId)).toMatchObject({ id: raffleId });
  expect(await findOwnRaffle(db.read, other.userId)).toBeNull();
  expect(await startRaffle(db, { raffleId }, START_MS)).toEqual({ ok: false, code: 'twitchNotLinked' });
  expect(await cancelRaffle(db, { raffleId }, START_MS)).toEqual({ ok: true });
});

test.each(['prepared', 'running', 'sealed', 'drawn'] as const)(
  'Nobody takes items out of a raffle that is %s',
  async (state) => {
    // A winner without an account: the item stays free, and is kept.
    const raffleId = await addIn(state, '900001');
    const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
    const request = { ruleId: raffleId, userId: streamer.userId, kinds };
    expect(await detachRewards(db, request, SEALED_MS + minute)).toEqual({ ok: false, code: 'notFound' });
    expect(await statesOf(raffleId)).not.toContain('recalled');
  },
);

test('Once its list is closed, a raffle cannot be cancelled by its owner', async () => {
  const raffleId = await addIn('sealed');
  const refused = { ok: false, code: 'listClosed' };
  expect(await cancelRaffle(db, { raffleId }, SEALED_MS + second)).toEqual(refused);
  expect((await raffleOf(db, raffleId)).state).toBe('sealed');
});

test('The seed of a raffle that was cancelled after its start is published, and its list is checked', async () => {
  const raffleId = await addIn('sealed');
  await db.transaction((tx) => cancelRaffleOfRule(tx, raffleId, SEALED_MS + second), {
    lock: channelLock(streamer.twitchId),
  });
  const page = await exportRaffle(db.read, raffleId);
  expect(page).toMatchObject({
    seed: (await raffleOf(db, raffleId)).seed,
    raffle: { state: 'cancelled', endReason: 'takenBack' },
  });
  const answer = await verifyPages([page as never]);
  expect(answer.said).toContain('CANCELLED (takenBack)');
  expect(answer.said).toContain('entry 1');
  expect(answer.status).toBe(0);
  const other = await verifyPages([{ ...page, seed: 'ab'.repeat(32) } as never]);
  expect(other.said).toContain('not the one that was promised');
});

describe('An early end', () => {
  test('keeps the entries that Twitch dates later than our clock, and verifies', async () => {
    const raffleId = await addRaffle(db, streamer);
    const channelId = streamer.twitchId;
    await enter(db, raffleId, { channelId, twitchIds: ['900001', '900002'], nowMs: START_MS + 70 * second });
    await closeRaffle(db, { raffleId }, START_MS + 71 * second);
    expect((await raffleOf(db, raffleId)).endsAtMs).toBe(START_MS + 72 * second + 1);
    await drawRaffle(db, START_MS + 72 * second + 1);
    const answer = await verifyPages([(await exportRaffle(db.read, raffleId)) as never]);
    expect(answer.said).toContain('VERIFIED');
    expect(answer.status).toBe(0);
  });

  test('leaves every chat a minute, whoever asks for it and how often', async () => {
    const raffleId = await addRaffle(db, streamer);
    for (const atMs of [START_MS, START_MS + second])
      expect(await closeRaffle(db, { raffleId }, atMs)).toMatchObject({ ok: true });
    expect((await raffleOf(db, raffleId)).endsAtMs).toBe(START_MS + minute);
    const channelId = streamer.twitchId;
    await enter(db, raffleId, { channelId, twitchIds: ['900001'], nowMs: START_MS + 58 * second });
    await runRaffles(db, START_MS + minute - 1);
    expect(await raffleOf(db, raffleId)).toMatchObject({ state: 'running', entryCount: 1 });
    await drawRaffle(db, START_MS + minute);
    expect((await raffleOf(db, raffleId)).state).toBe('drawn');
  });

  test('is never later than the planned one', async () => {
    const raffleId = await addRaffle(db, streamer);
    const channelId = streamer.twitchId;
    await enter(db, raffleId, { channelId, twitchIds: ['900001'], nowMs: END_MS - second - 1 });
    await closeRaffle(db, { raffleId }, END_MS - second);
    expect((await raffleOf(db, raffleId)).endsAtMs).toBe(END_MS);
    await closeRaffle(db, { raffleId }, END_MS - second + 1);
    expect((await raffleOf(db, raffleId)).endsAtMs).toBe(END_MS);
  });
});

describe('With a session that may be stolen', () => {
  const addSession = async () => {
    const { userId } = streamer;
    const { token } = await openSession(db, { userId, userAgent: 'Demo' }, START_MS - 10 * minute);
    return { by: 'session' as const, id: hashOf(token), userId };
  };
  const reports = async (change = 'sessionGives') =>
    (await db.read.select().from(mails)).filter(({ values }) => values.change === change).length;

  test('preparing a raffle is reported to the owner', async () => {
    await addPrepared(await addSession());
    expect(await reports()).toBe(1);
  });

  test('starting one is', async () => {
    const raffleId = await addPrepared();
    expect(await reports()).toBe(0);
    expect(await startRaffle(db, { raffleId, by: await addSession() }, START_MS)).toMatchObject({ ok: true });
    expect(await reports()).toBe(1);
  });

  test('starting by the address of a dock is, once a day for each address', async () => {
    const { userId } = streamer;
    const startBy = async (id: string, nowMs: number) => {
      const raffleId = await addPrepared();
      const by = { by: 'dock' as const, id, userId };
      expect(await startRaffle(db, { raffleId, by }, nowMs)).toMatchObject({ ok: true });
      await cancelRaffle(db, { raffleId }, nowMs);
      return reports('dockGives');
    };
    expect(await startBy('one', START_MS)).toBe(1);
    expect(await startBy('one', START_MS + day - 1)).toBe(1);
    expect(await startBy('other', START_MS + day - 1)).toBe(2);
    expect(await startBy('one', START_MS + day)).toBe(3);
  });
});

const freezeRule = (raffleId: string, frozenAtMs: number | null) =>
  db.transaction(async (tx) => {
    await tx.update(rules).set({ frozenAtMs }).where(eq(rules.id, raffleId));
  });

test('A frozen account starts no raffle', async () => {
  const raffleId = await addPrepared();
  await db.transaction(async (tx) => {
    await tx.update(users).set({ frozenAtMs: START_MS }).where(eq(users.id, streamer.userId));
  });
  expect(await startRaffle(db, { raffleId }, START_MS)).toEqual({ ok: false, code: 'accountFrozen' });
});

test.each(['running', 'sealed'] as const)('A raffle that is %s waits while it is frozen', async (state) => {
  const raffleId = await addIn(state);
  await freezeRule(raffleId, START_MS + minute);
  await runRaffles(db, SEALED_MS + hour);
  await postLines(db, SEALED_MS + hour);
  expect((await raffleOf(db, raffleId)).state).toBe(state);
  await freezeRule(raffleId, null);
  await runRaffles(db, SEALED_MS + 2 * hour);
  await postLines(db, SEALED_MS + 2 * hour);
  await runRaffles(db, SEALED_MS + 2 * hour + ANNOUNCED_FOR_MS);
  expect(await placesOf(db, raffleId)).toMatchObject([{ placeState: 'promised' }]);
});
