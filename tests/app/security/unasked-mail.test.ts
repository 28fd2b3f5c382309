import '../api/support/web.ts';
import { eq } from 'drizzle-orm';
import { afterEach, expect, test, vi } from 'vitest';
import { action as emailAction } from '#app/routes/account/email.tsx';
import { action as contactAction } from '#app/routes/contact/contact.tsx';
import { action as resendAction } from '#app/routes/email/unverified.tsx';
import { database } from '#app/services/database.server.ts';
import { mails } from '#db/schema/outbox.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { nextNumber } from '#tests/support/fixtures.ts';
import { signIn } from '../api/support/people.ts';
import { password, registered } from '../support/owner.ts';
import { visitorOf } from '../support/signed-in.ts';
import { Visitor } from '../support/visitor.ts';

afterEach(() => vi.useRealTimers());

const goTo = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: ms });
const api = '/api/v1';
const mailedTo = async (recipient: string) =>
  (await (await database()).read.select().from(mails).where(eq(mails.recipient, recipient))).length;

/** Tries this often, with a pause each time, and again a day later; returns the answers and how many mails there were. */
async function insist(
  recipient: string,
  times: number,
  pauseMs: number,
  ask: (tried: number) => Promise<number>,
) {
  const [before, beganMs] = [await mailedTo(recipient), Date.now()];
  const statuses: number[] = [];
  for (let tried = 0; tried < times; tried++) {
    goTo(beganMs + tried * pauseMs);
    statuses.push(await ask(tried));
  }
  const inADay = (await mailedTo(recipient)) - before;
  goTo(beganMs + day + minute);
  await ask(0);
  return {
    inADay,
    refused: statuses.filter((status) => status === 429).length,
    later: (await mailedTo(recipient)) - before,
  };
}

test('Whoever signed up with somebody else’s address has it mailed ten times a day at most', async () => {
  const { userId, email } = await registered();
  const ask = async (tried: number) =>
    tried % 2 === 0
      ? (await (await visitorOf(userId)).call(resendAction, '/email/unverified', { form: {} })).status
      : (await (await signIn({ userId })).post(`${api}/email/verification-notification`)).status;
  expect(await insist(email, 12, 11 * minute, ask)).toEqual({ inADay: 10, refused: 2, later: 11 });
});

test('Whoever asks for a change to somebody else’s address has it mailed ten times a day at most', async () => {
  const { userId, token } = await registered();
  await verifyEmail(await database(), { token }, Date.now());
  const wanted = `wanted-${nextNumber()}@example.org`;
  const form = { email: wanted, password };
  const ask = async (tried: number) =>
    tried % 2 === 0
      ? (await (await visitorOf(userId)).call(emailAction, '/profile/email', { form })).status
      : (
          await (
            await signIn({ userId })
          ).patch(`${api}/users`, {
            json: { email: wanted, current_password: password },
          })
        ).status;
  expect(await insist(wanted, 12, 61 * minute, ask)).toEqual({ inADay: 10, refused: 2, later: 11 });
});

test('Wrong passwords do not use up the day’s changes of address', async () => {
  const { userId, token } = await registered();
  await verifyEmail(await database(), { token }, Date.now());
  const wanted = `wanted-${nextNumber()}@example.org`;
  const change = async (tried: number, secret: string) =>
    tried % 2 === 0
      ? (
          await (
            await visitorOf(userId)
          ).call(emailAction, '/profile/email', {
            form: { email: wanted, password: secret },
          })
        ).status
      : (
          await (
            await signIn({ userId })
          ).patch(`${api}/users`, { json: { email: wanted, current_password: secret } })
        ).status;
  const beganMs = Date.now();
  for (let tried = 0; tried < 12; tried++) {
    goTo(beganMs + tried * 61 * minute);
    expect([400, 422]).toContain(await change(tried, 'another sentence'));
  }
  goTo(beganMs + 12 * 61 * minute);
  expect(await change(0, password)).toBe(302);
  expect(await mailedTo(wanted)).toBe(1);
});

test('Whoever writes to the operator under somebody else’s address has it mailed three times a day at most', async () => {
  const email = `somebody-${nextNumber()}@example.org`;
  const form = { name: 'Demo person', email, message: 'Where is my item?', without_script: 'on' };
  const ask = async () => (await new Visitor().call(contactAction, '/contact_us', { form })).status;
  expect(await insist(email, 5, 2 * hour, ask)).toEqual({ inADay: 3, refused: 2, later: 4 });
});
