import { eq, getTableColumns, getTableName } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import {
  attendances,
  channels,
  follows,
  stamps,
  subscribers,
  viewerGaps,
  watchDays,
} from '#db/schema/channel.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { attendanceBaselines, rules, watchBaselines } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { deleteAccount } from '#domain/account/delete-account.ts';
import { exportAccount } from '#domain/account/export-account.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { getDeletionImpact } from '#domain/account/get-deletion-impact.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { updateTwitchTokens } from '#domain/account/twitch/update-twitch-tokens.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { redeemExtensionCode } from '#domain/identity/access/redeem-extension-code.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { signIn } from '#domain/identity/session/sign-in.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { tables } from '#tests/support/tables.ts';
import {
  extensionCodeOf,
  join,
  mira,
  miraOnTwitch,
  noonMs,
  otto,
  register,
  vault,
  viewerGrant,
} from './people.ts';

const laterMs = START_MS + 60 * minute;

/** A fixture has no password, so its address confirms the deletion. */
async function leave(db: TestDatabase, person: Person, nowMs = laterMs) {
  const { twitchId, userId } = person;
  await updateTwitchTokens(db, { vault, twitchId, grant: viewerGrant, replacesObtainedAtMs: START_MS });
  const [user] = await db.read.select().from(users).where(eq(users.id, userId));
  return deleteAccount(db, { vault, userId, proof: user?.email ?? '' }, nowMs);
}

/** Viewers watch a channel long enough for a rule of ten minutes. */
async function watch(db: TestDatabase, streamer: Person, viewers: Person[]) {
  const channelId = streamer.twitchId;
  const stream = { streamId: 's1', startedAtMs: START_MS, gameName: 'Demo game', title: 'Demo' };
  await recordStream(db, { channelId, stream }, START_MS);
  for (let minutes = 1; minutes <= 10; minutes++) {
    const reading = { channelId, streamId: 's1', twitchIds: new Set(viewers.map((each) => each.twitchId)) };
    await accrueWatchTime(db, reading, START_MS + minutes * minute);
  }
}

test('An account with a password is deleted only with the right one, and all its access ends', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, { ...mira, passwordHash: await hashPassword('a short sentence') });
  await linkTwitch(db, { vault, userId, person: miraOnTwitch, grant: viewerGrant }, noonMs);
  const { token } = await openSession(db, { userId, userAgent: 'desk' }, noonMs);
  const key = await issueApiToken(db, { userId, name: 'Script' }, noonMs);
  const { code } = await extensionCodeOf(db, userId, noonMs);

  const refused = { ok: false, code: 'passwordWrong' };
  expect(await deleteAccount(db, { vault, userId, proof: mira.email }, noonMs)).toEqual(refused);
  expect(await findSession(db, { token }, noonMs)).not.toBeNull();
  const deleted = await deleteAccount(db, { vault, userId, proof: 'a short sentence' }, noonMs);
  expect(deleted).toEqual({ ok: true, accessToken: viewerGrant.accessToken });

  expect(await getAccount(db, { userId })).toBeNull();
  expect(await findSession(db, { token }, noonMs)).toBeNull();
  expect(await findApiToken(db, { token: key.ok ? key.token : '' }, noonMs)).toBeNull();
  expect(await redeemExtensionCode(db, { code, device: 'Phone' }, noonMs)).toMatchObject({ ok: false });
  expect(
    await signIn(db, { email: mira.email, password: 'a short sentence', userAgent: 'test' }, noonMs),
  ).toMatchObject({ ok: false });
});

test('No personal data remains, and the address and the Twitch account are free again', async () => {
  await using db = await openTestDatabase();
  const passwordHash = await hashPassword('a short sentence');
  const userId = await join(db, { ...mira, passwordHash });
  await linkTwitch(db, { vault, userId, person: miraOnTwitch, grant: viewerGrant }, noonMs);
  await deleteAccount(db, { vault, userId, proof: 'a short sentence' }, noonMs);
  const [user] = await db.read.select().from(users);
  expect(JSON.stringify([user, await db.read.select().from(mails)])).not.toMatch(/mira/i);
  expect(await db.read.select().from(channels)).toEqual([]);
  expect(user).toMatchObject({ id: userId, passwordHash: null, deletedAtMs: noonMs });
  const again = await join(db, mira, noonMs + 1);
  expect(
    await linkTwitch(db, { vault, userId: again, person: miraOnTwitch, grant: viewerGrant }, noonMs),
  ).toEqual({
    ok: true,
  });
});

test('The channel of a deleted streamer stays for its rules, without personal data', async () => {
  await using db = await openTestDatabase();
  const [streamer, other] = [await addStreamer(db), await addStreamer(db)];
  await addRule(db, streamer, { rewards: 0 });
  await addRule(db, other, { rewards: 0 });
  await watch(db, streamer, []);
  expect(await leave(db, streamer)).toMatchObject({ ok: true });
  const [left, stays] = await db.read.select().from(channels).orderBy(channels.id);
  expect(left).toMatchObject({ id: streamer.twitchId, login: '', displayName: 'Deleted account' });
  expect(left).toMatchObject({ live: false, streamId: null, title: '', gameName: '', pictureUrl: '' });
  expect(stays).toMatchObject({ displayName: `Demo channel ${other.twitchId}` });
});

test('A channel unlinked earlier is cleared too, unless it belongs to somebody else by now', async () => {
  await using db = await openTestDatabase();
  const [streamer, giver] = [await addStreamer(db), await addStreamer(db)];
  await addRule(db, streamer, { rewards: 0 });
  await addRule(db, giver, { rewards: 0 });
  const heir = await join(db, mira);
  await db.transaction(async (tx) => {
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, streamer.twitchId));
    await tx.update(twitchAccounts).set({ userId: heir }).where(eq(twitchAccounts.twitchId, giver.twitchId));
  });
  for (const { userId } of [streamer, giver]) {
    const [user] = await db.read.select().from(users).where(eq(users.id, userId));
    await deleteAccount(db, { vault, userId, proof: user?.email ?? '' }, laterMs);
  }
  const [left, stays] = await db.read.select().from(channels).orderBy(channels.id);
  expect(left).toMatchObject({ login: '', displayName: 'Deleted account' });
  expect(stays).toMatchObject({ displayName: `Demo channel ${giver.twitchId}` });
});

test('Mails to others stay, even if the person had requested that address', async () => {
  await using db = await openTestDatabase();
  const password = 'a short sentence';
  const userId = await register(db, { ...mira, passwordHash: await hashPassword(password) });
  await register(db, otto);
  await requestEmailChange(db, { userId, email: otto.email, password }, noonMs);
  await requestPasswordReset(db, { email: otto.email }, noonMs);
  await deleteAccount(db, { vault, userId, proof: password }, noonMs);
  const left = await db.read.select().from(mails).where(eq(mails.recipient, otto.email)).orderBy(mails.id);
  expect(left.map(({ template }) => template)).toEqual(['verifyEmail', 'emailWanted', 'resetPassword']);
});

test('A running trade offer blocks deletion', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  const requestId = newId(START_MS);
  await requestDeposit(db, { requestId, userId: streamer.userId, assets: [asset()] }, START_MS, Date.now());
  expect(await leave(db, streamer)).toEqual({ ok: false, code: 'transfersLive' });
  expect(await getAccount(db, { userId: streamer.userId })).not.toBeNull();
});

test('Items in custody must be returned first; then the account is deleted, and the ledger stays', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  const assets = [asset()];
  await deposit(db, streamer, assets, START_MS - 8 * 24 * 60 * minute);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  expect(await getDeletionImpact(db, streamer)).toEqual({
    openTransfers: 0,
    heldItems: 1,
    rules: 1,
    promises: 0,
    tokens: 0,
    subscriptions: 0,
  });
  expect(await leave(db, streamer)).toEqual({ ok: false, code: 'itemsHeld' });
  const stateOf = async () => (await db.read.select().from(rules).where(eq(rules.id, ruleId)))[0]?.state;
  expect(await stateOf()).toBe('open');

  const [item] = await db.read.select().from(items);
  const requestId = newId(START_MS);
  await returnItems(db, { requestId, userId: streamer.userId, itemIds: [item?.id ?? ''] }, START_MS);
  await sendQueued(db, START_MS);
  await acceptOffer(db, requestId, [{ appId: 730, assetId: item?.assetId ?? '' }], START_MS);
  const before = await db.read.select().from(ledgerEntries);
  expect(await leave(db, streamer)).toMatchObject({ ok: true });
  expect(await db.read.select().from(ledgerEntries)).toEqual(before);
  expect(await stateOf()).toBe('closed');
  const saved = await db.read.select().from(transfers).where(eq(transfers.userId, streamer.userId));
  expect(saved.map(({ tradeToken }) => tradeToken)).toEqual(['', '']);
});

test("A deleted viewer's promise goes to the next in line, and their counters are deleted", async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  const [first, second] = [await addPerson(db), await addPerson(db)];
  const ruleId = await addRule(db, streamer, { watchMinutes: 10 });
  await watch(db, streamer, [first, second]);
  const promises = () => db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
  const [promise] = await promises();
  const leaver = promise?.userId === first.userId ? first : second;
  const other = leaver === first ? second : first;

  const where = { channelId: streamer.twitchId, twitchId: leaver.twitchId };
  await db.transaction(async (tx) => {
    await tx.insert(follows).values({ ...where, followedAtMs: noonMs });
    await tx.insert(subscribers).values({ ...where, tier: 1 });
    await tx.insert(watchDays).values({ ...where, dayMs: 0, seconds: 60 });
    await tx.insert(viewerGaps).values({ ...where, fromMs: 0, untilMs: 60 });
    await tx.insert(watchBaselines).values({ ruleId, twitchId: leaver.twitchId, seconds: 1 });
    const last = { streamNumber: 3, fromSeconds: 0, attended: true };
    await tx.insert(attendances).values({ ...where, streams: 2, ...last });
    await tx.insert(stamps).values({ ...where, number: 2, streamNumber: 3 });
    await tx.insert(attendanceBaselines).values({ ruleId, twitchId: leaver.twitchId, streams: 1 });
    const spent = { id: 'redemption', ruleId, twitchId: leaver.twitchId, redeemedAtMs: START_MS };
    await tx.insert(redemptions).values(spent);
  });
  const known = await tablesWith(db, leaver.twitchId);
  expect(known).toEqual(Object.keys(afterwards).filter((name) => afterwards[name] !== 'elsewhere'));
  expect(await leave(db, leaver)).toMatchObject({ ok: true });
  const after = (await promises()).map(({ state, userId, recallReason }) => ({
    state,
    userId,
    recallReason,
  }));
  expect(after).toEqual(
    expect.arrayContaining([
      { state: 'recalled', userId: leaver.userId, recallReason: 'accountDeleted' },
      { state: 'promised', userId: other.userId, recallReason: null },
    ]),
  );
  expect(await tablesWith(db, leaver.twitchId)).toEqual(known.filter((name) => afterwards[name] === 'stays'));
});

/** The fate of a viewer's rows in each table that knows their Twitch id; some have no rows here. */
const afterwards: Record<string, 'deleted' | 'stays' | 'elsewhere'> = {
  attendance_baselines: 'deleted',
  attendances: 'deleted',
  chat_accounts: 'elsewhere',
  draws: 'elsewhere',
  excluded_logins: 'elsewhere',
  follows: 'deleted',
  qualifications: 'stays',
  raffle_entries: 'elsewhere',
  redemptions: 'stays',
  rewards: 'stays',
  stamps: 'deleted',
  subscribers: 'deleted',
  trials: 'elsewhere',
  twitch_accounts: 'deleted',
  viewer_gaps: 'deleted',
  watch_baselines: 'deleted',
  watch_days: 'deleted',
  watch_times: 'deleted',
};

test('What becomes of a Twitch id is known for every table', () => {
  const named = tables.filter((table) => Object.hasOwn(getTableColumns(table), 'twitchId'));
  expect(named.map((table) => getTableName(table)).sort()).toEqual(Object.keys(afterwards));
});

/** The tables that know a Twitch id. */
async function tablesWith(db: TestDatabase, twitchId: string): Promise<string[]> {
  const names: string[] = [];
  for (const table of tables) {
    const column = getTableColumns(table).twitchId;
    if (column && (await db.read.select().from(table).where(eq(column, twitchId))).length > 0)
      names.push(getTableName(table));
  }
  return names.sort();
}

test('A running claim blocks deletion, and its promise stays', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const [streamer, viewer] = [await addStreamer(db), await addPerson(db)];
  await addRule(db, streamer, { watchMinutes: 10 });
  await watch(db, streamer, [viewer]);
  const [promise] = await db.read.select().from(rewards).where(eq(rewards.userId, viewer.userId));
  await claimReward(db, { rewardId: promise?.id ?? '', userId: viewer.userId }, START_MS + 11 * minute);
  expect(await leave(db, viewer)).toEqual({ ok: false, code: 'transfersLive' });
  expect(await leave(db, streamer)).toEqual({ ok: false, code: 'itemsHeld' });
  const [still] = await db.read.select().from(rewards).where(eq(rewards.userId, viewer.userId));
  expect(still?.state).toBe('reserved');
});

test('The export contains all of the person’s data, nothing of others, and no secret', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const [streamer, viewer] = [await addStreamer(db), await addPerson(db)];
  await addRule(db, streamer, { watchMinutes: 10, name: 'Ten minutes' });
  await watch(db, streamer, [viewer]);
  const { token } = await openSession(db, { userId: viewer.userId, userAgent: 'desk' }, START_MS);
  const key = await issueApiToken(db, { userId: viewer.userId, name: 'Script' }, START_MS);

  const mine = await exportAccount(db, viewer, START_MS);
  expect(mine).toMatchObject({
    format: 'keepsake-account',
    exportedAt: '2026-01-05T12:00:00.000Z',
    account: { id: viewer.userId, language: 'en', notifyByMail: true },
    links: { twitch: { twitchId: viewer.twitchId }, steam: { steamId: viewer.steamId, hasTradeLink: true } },
    rewards: [{ state: 'promised', rule: 'Ten minutes' }],
    watchTime: [{ channelId: streamer.twitchId, seconds: 600 }],
    sessions: [{ userAgent: 'desk' }],
    apiTokens: [{ name: 'Script', lastUsedAt: null }],
    consent: { termsAcceptedAt: '2026-01-05T12:00:00.000Z' },
    rules: [],
    items: [],
  });
  const theirs = await exportAccount(db, streamer, START_MS);
  expect(theirs).toMatchObject({
    rules: [{ name: 'Ten minutes' }],
    items: [{ state: 'held', ledger: [{ toHolder: expect.stringContaining('held') }] }],
    transfers: [{ kind: 'deposit', state: 'accepted', items: [{ name: 'Demo case' }] }],
    rewards: [],
  });
  const [rule] = await db.read.select().from(rules);
  const text = JSON.stringify([mine, theirs]);
  for (const secret of [token, key.ok ? key.token : '', 'tokenABC', 'sealed', rule?.seed ?? ''])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/hash"|TokenHash/i);
  expect(JSON.stringify(theirs)).not.toContain(viewer.userId);
});
