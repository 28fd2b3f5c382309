import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { mails } from '#db/schema/outbox.ts';
import { confirmMessage } from '#domain/contact/confirm-message.ts';
import { findMessageLink } from '#domain/contact/find-message-link.ts';
import { type SenderProof, sendMessage } from '#domain/contact/send-message.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { day } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { noonMs } from '../account/people.ts';

const message = {
  userId: null,
  name: 'Demo guest',
  email: 'guest@example.org',
  message: 'Where is\nmy item?',
  locale: 'en',
} as const;
const operatorEmail = 'operator@example.org';

const sendBy = (db: Database, senderProof: SenderProof, to: string | null = operatorEmail) =>
  sendMessage(db, { message, operatorEmail: to, senderProof }, noonMs);
const mailsOf = (db: Database) => db.read.select().from(mails).orderBy(mails.id);
const linkOf = async (db: Database) => (await mailsOf(db))[0]?.values.token ?? '';

test('A message from an account or with a captcha is stored and mailed to the operator', async () => {
  for (const senderProof of ['account', { solutionHash: 'a solution', expiresAtMs: noonMs + 1 }] as const) {
    await using db = await openTestDatabase();
    expect(await sendBy(db, senderProof)).toMatchObject({ ok: true, waits: false });
    expect(await db.read.select().from(contactMessages)).toMatchObject([message]);
    expect(await mailsOf(db)).toMatchObject([
      {
        recipient: operatorEmail,
        template: 'contactMessage',
        values: { message: message.message, confirmed: 'no' },
      },
    ]);
  }
});

test('Without an operator’s address a message is only stored', async () => {
  await using db = await openTestDatabase();
  await sendBy(db, 'account', null);
  expect(await db.read.select().from(contactMessages)).toHaveLength(1);
  expect(await mailsOf(db)).toEqual([]);
});

test('A captcha solution sends one message', async () => {
  await using db = await openTestDatabase();
  const captcha = { solutionHash: 'a solution', expiresAtMs: noonMs + 1 };
  const outcomes = await Promise.all([sendBy(db, captcha), sendBy(db, captcha)]);
  expect(outcomes.filter(({ ok }) => !ok)).toEqual([{ ok: false, code: 'captchaSpent' }]);
  expect(await db.read.select().from(contactMessages)).toHaveLength(1);
});

test('A message proven only by its mailbox reaches the operator when its link is confirmed', async () => {
  await using db = await openTestDatabase();
  expect(await sendBy(db, 'mailbox')).toMatchObject({ ok: true, waits: true });
  const [link, ...more] = await mailsOf(db);
  expect(more).toEqual([]);
  expect(link).toMatchObject({ recipient: message.email, template: 'confirmMessage' });
  expect(Object.keys(link?.values ?? {})).toEqual(['token']);
  const token = await linkOf(db);
  expect(JSON.stringify(await db.read.select().from(contactMessages))).not.toContain(token);
  const found = await findMessageLink(db.read, { token }, noonMs);
  expect(found).toMatchObject({ ok: true, message });
  expect(await confirmMessage(db, { token, operatorEmail }, noonMs)).toEqual({ ok: true });
  expect((await mailsOf(db)).slice(1)).toMatchObject([
    {
      recipient: operatorEmail,
      template: 'contactMessage',
      values: { message: message.message, confirmed: 'yes' },
    },
  ]);
});

test('A message’s link works once, for a day, and no other does', async () => {
  await using db = await openTestDatabase();
  await sendBy(db, 'mailbox');
  const token = await linkOf(db);
  const take = (nowMs: number, taken = token) => confirmMessage(db, { token: taken, operatorEmail }, nowMs);
  expect(await take(noonMs, '')).toEqual({ ok: false, code: 'linkUnknown' });
  expect(await take(noonMs + day)).toEqual({ ok: false, code: 'linkExpired' });
  const outcomes = await Promise.all([take(noonMs + day - 1), take(noonMs + day - 1)]);
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(outcomes).toContainEqual({ ok: false, code: 'linkUsed' });
  expect((await mailsOf(db)).filter(({ template }) => template === 'contactMessage')).toHaveLength(1);
});

test('An unconfirmed message is deleted a month after its link; others stay', async () => {
  await using db = await openTestDatabase();
  await sendBy(db, 'mailbox');
  await confirmMessage(db, { token: await linkOf(db), operatorEmail }, noonMs);
  await sendBy(db, 'mailbox');
  await sendBy(db, 'account');
  const left = async (nowMs: number) => {
    await pruneAccess(db, nowMs, nowMs);
    return (await db.read.select().from(contactMessages)).length;
  };
  expect(await left(noonMs + 31 * day)).toBe(3);
  expect(await left(noonMs + 31 * day + 1)).toBe(2);
});
