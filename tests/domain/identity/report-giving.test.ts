import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { addRule, asset, deposit, draft, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

/** A time at which the session's user has not proved for long who they are. */
const LATE_MS = START_MS + 10 * minute;
const session = async (nowMs = START_MS) => {
  const opened = { userId: streamer.userId, userAgent: 'Demo' };
  const { token } = await openSession(db, opened, nowMs);
  return { by: 'session' as const, id: hashOf(token), userId: streamer.userId };
};
let ruleId: string;
beforeEach(async () => {
  await deposit(db, streamer, [asset(), asset(), asset()], START_MS - 8 * day);
  ruleId = await addRule(db, streamer, { rewards: 0 });
});

async function reports(): Promise<number> {
  const [owner] = await db.read.select().from(users).where(eq(users.id, streamer.userId));
  const written = await db.read.select().from(mails).where(eq(mails.recipient, owner!.email));
  return written.filter(({ values }) => values.change === 'sessionGives').length;
}
const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
const attach = (by: Credential | null, nowMs: number) =>
  attachRewards(db, { ruleId, userId: streamer.userId, kinds, by }, nowMs);
const open = (by: Credential | null, nowMs: number) =>
  createRule(db, { requestId: newId(nowMs), userId: streamer.userId, draft: draft(), by }, nowMs);

test.each([
  ['opened a rule', open],
  ['added rewards', attach],
] as const)(
  'The owner hears of a session that %s without a fresh proof, and not with one',
  async (_, act) => {
    const token = await session();
    expect(await act(token, LATE_MS - 1)).toMatchObject({ ok: true });
    expect(await act(null, LATE_MS)).toMatchObject({ ok: true });
    expect(await reports()).toBe(0);
    expect(await act(token, LATE_MS)).toMatchObject({ ok: true });
    expect(await reports()).toBe(1);
  },
);

test('The owner hears once in a day of each session', async () => {
  const [one, other] = [await session(), await session()];
  await open(one, LATE_MS);
  await attach(one, LATE_MS + day - 1);
  expect(await reports()).toBe(1);
  await attach(other, LATE_MS + minute);
  expect(await reports()).toBe(2);
  await attach(one, LATE_MS + day);
  expect(await reports()).toBe(3);
});

test('What was refused is not mailed, nor counted as the first of the day', async () => {
  const token = await session();
  const none = [{ appId: 730, marketHashName: 'Nothing of mine', quantity: 1 }];
  const refused = { ruleId, userId: streamer.userId, kinds: none, by: token };
  expect(await attachRewards(db, refused, LATE_MS)).toMatchObject({ ok: false });
  expect(await reports()).toBe(0);
  await attach(token, LATE_MS);
  expect(await reports()).toBe(1);
});

test('Two acts at once are one mail', async () => {
  const token = await session();
  await Promise.all([attach(token, LATE_MS), open(token, LATE_MS)]);
  expect(await reports()).toBe(1);
});
