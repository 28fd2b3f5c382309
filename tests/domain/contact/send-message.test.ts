import { expect, test } from 'vitest';
import { contactMessages } from '#db/schema/contact.ts';
import { mails } from '#db/schema/outbox.ts';
import { sendMessage } from '#domain/contact/send-message.ts';
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

test('A message is kept and mailed to the operator', async () => {
  await using db = await openTestDatabase();
  expect(await sendMessage(db, { message, operatorEmail, captcha: null }, noonMs)).toMatchObject({
    ok: true,
  });
  expect(await db.read.select().from(contactMessages)).toMatchObject([message]);
  expect(await db.read.select().from(mails)).toMatchObject([
    { recipient: operatorEmail, template: 'contactMessage', values: { message: message.message } },
  ]);
});

test('Without an operator’s address a message is only kept', async () => {
  await using db = await openTestDatabase();
  await sendMessage(db, { message, operatorEmail: null, captcha: null }, noonMs);
  expect(await db.read.select().from(contactMessages)).toHaveLength(1);
  expect(await db.read.select().from(mails)).toEqual([]);
});

test('A captcha’s solution sends one message', async () => {
  await using db = await openTestDatabase();
  const captcha = { solutionHash: 'a solution', expiresAtMs: noonMs + 1 };
  const send = () => sendMessage(db, { message, operatorEmail, captcha }, noonMs);
  const outcomes = await Promise.all([send(), send()]);
  expect(outcomes.filter(({ ok }) => !ok)).toEqual([{ ok: false, code: 'captchaSpent' }]);
  expect(await db.read.select().from(contactMessages)).toHaveLength(1);
});
