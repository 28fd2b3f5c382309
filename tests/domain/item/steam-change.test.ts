import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { steamAccounts } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { unlinkSteam } from '#domain/account/steam/unlink-steam.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { heldBackAfterChange } from '#domain/item/steam-change.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { reportMail } from '#domain/outbox/report-mail.ts';
import { asset, deposit, nextNumber, START_MS, steamIdOf } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const mailsOf = async (template: string) =>
  (await db.read.select().from(mails)).filter((mail) => mail.template === template);
const noticeOf = async () => {
  const notice = (await mailsOf('accountChanged')).find(({ values }) => values.change === 'steamLinked');
  if (!notice) throw new Error('nobody was told');
  return notice;
};
const sendNotice = async (nowMs: number) => reportMail(db, await noticeOf(), { sent: true }, nowMs);

/** A streamer with an item who connects another Steam account at the time at which every test starts. */
async function change() {
  await deposit(db, streamer, [asset()], START_MS - 8 * day);
  const itemIds = (await itemsOf(db, streamer.userId)).map(({ id }) => id);
  const { userId } = streamer;
  await unlinkSteam(db, { userId }, START_MS);
  await linkSteam(db, { userId, steamId: steamIdOf(nextNumber()) }, START_MS);
  return (nowMs: number) => heldBackAfterChange(db.read, { ownerId: userId, itemIds }, nowMs);
}

/** Moves the account to an address that a mailed link proved. */
async function changeAddress(nowMs: number) {
  const { userId } = streamer;
  const email = `moved-${nextNumber()}@example.org`;
  await requestEmailChange(db, { userId, email, password: '' }, nowMs);
  const [sent] = await mailsOf('changeEmail');
  expect(await verifyEmail(db, { token: sent?.values.token ?? '' }, nowMs)).toMatchObject({ ok: true });
}

test('Items wait for seven days after the notice was sent, not after the change', async () => {
  const isHeld = await change();
  expect(await isHeld(START_MS + 8 * day)).toBe(true);
  await sendNotice(START_MS + 2 * day);
  expect(await isHeld(START_MS + 9 * day - 1)).toBe(true);
  expect(await isHeld(START_MS + 9 * day)).toBe(false);
});

test('A notice that is sent at once adds nothing to the seven days', async () => {
  const isHeld = await change();
  await sendNotice(START_MS);
  expect(await isHeld(START_MS + 7 * day - 1)).toBe(true);
  expect(await isHeld(START_MS + 7 * day)).toBe(false);
});

test('Where no mail is ever sent, items wait for thirty days', async () => {
  const isHeld = await change();
  expect(await isHeld(START_MS + 30 * day - 1)).toBe(true);
  expect(await isHeld(START_MS + 30 * day)).toBe(false);
});

test('A notice that was given up, or is deleted with old mail, releases nothing early', async () => {
  const isHeld = await change();
  const gaveUp = { sent: false, error: 'no such mailbox', permanent: true } as const;
  await reportMail(db, await noticeOf(), gaveUp, START_MS + hour);
  expect(await isHeld(START_MS + 20 * day)).toBe(true);
  await pruneAccess(db, START_MS + 30 * day + 1, START_MS + 30 * day + 1);
  expect(await mailsOf('accountChanged')).toEqual([]);
  expect(await isHeld(START_MS + 30 * day - 1)).toBe(true);
  expect(await isHeld(START_MS + 30 * day)).toBe(false);
});

test('A change of the address begins the seven days again', async () => {
  const isHeld = await change();
  await sendNotice(START_MS);
  await changeAddress(START_MS + 6 * day);
  expect(await isHeld(START_MS + 13 * day - 1)).toBe(true);
  expect(await isHeld(START_MS + 13 * day)).toBe(false);
});

test('It does so only for a month, and not for items of the same Steam account', async () => {
  const isHeld = await change();
  await sendNotice(START_MS);
  await changeAddress(START_MS + 29 * day);
  expect(await isHeld(START_MS + 30 * day - 1)).toBe(true);
  expect(await isHeld(START_MS + 30 * day)).toBe(false);
  await db.transaction(async (tx) => {
    await tx.update(steamAccounts).set({ steamId: streamer.steamId });
  });
  expect(await isHeld(START_MS)).toBe(false);
});

test('An account that was connected before notices were remembered waits for seven days', async () => {
  const isHeld = await change();
  await db.transaction(async (tx) => {
    await tx.update(steamAccounts).set({ noticeMailId: null });
    await tx
      .update(users)
      .set({ emailVerifiedAtMs: START_MS - 30 * day })
      .where(eq(users.id, streamer.userId));
  });
  expect(await isHeld(START_MS + 7 * day - 1)).toBe(true);
  expect(await isHeld(START_MS + 7 * day)).toBe(false);
});
