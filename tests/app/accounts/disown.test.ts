import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { session } from '#app/middleware/session.server.ts';
import { action, loader } from '#app/routes/auth/disown.tsx';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { attempts } from '#db/schema/access.ts';
import { users } from '#db/schema/user.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { mailedTokens, member } from '../support/member.ts';
import { Reader } from '../support/site.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
beforeEach(async () => (await database()).transaction((tx) => tx.delete(attempts) as never));

const isIn = async (visitor: Visitor) =>
  (await visitor.call(() => null, '/dashboard', { guard: verified })).location === null;

/** A member whose mail about a new API token has this link. */
async function owner() {
  const person = await member();
  const db = await database();
  const [user] = await db.read.select({ id: users.id }).from(users).where(eq(users.email, person.email));
  await issueApiToken(db, { userId: user!.id, name: 'Script' }, await domainNow());
  return { ...person, token: (await mailedTokens(person.email)).at(-1) ?? '' };
}
const open = (token: string, visitor = new Visitor()) =>
  visitor.call(loader, `/auth/disown?token=${token}`, { guard: session });
const press = (token: string, visitor = new Visitor()) =>
  visitor.call(action, '/auth/disown', { form: { token }, guard: session });

test('Opening the link changes nothing; its button signs out every browser and revokes tokens', async () => {
  const { visitor, email, token } = await owner();
  for (let opened = 0; opened < 2; opened++)
    expect(await open(token)).toMatchObject({ status: 200, body: { kind: 'waiting', email } });
  expect(await isIn(visitor)).toBe(true);
  expect(await press(token)).toMatchObject({ status: 200, body: { kind: 'ended', sessions: 1, tokens: 1 } });
  expect(await isIn(visitor)).toBe(false);
  const settled = { status: 200, body: { kind: 'settled' } };
  expect([await open(token), await press(token)]).toMatchObject([settled, settled]);
  const closed = { status: 404, body: { kind: 'closed' } };
  expect([await open('made-up'), await press('made-up')]).toMatchObject([closed, closed]);
});

test('It works in a browser that is signed in, also to another account', async () => {
  const [one, other] = [await owner(), await owner()];
  expect(await open(one.token, other.visitor)).toMatchObject({ body: { email: one.email } });
  expect(await press(one.token, other.visitor)).toMatchObject({ body: { kind: 'ended', sessions: 1 } });
  expect([await isIn(one.visitor), await isIn(other.visitor)]).toEqual([false, true]);
  expect(await press(other.token, other.visitor)).toMatchObject({ body: { kind: 'ended', sessions: 1 } });
  expect(await isIn(other.visitor)).toBe(false);
});

test('The page needs no script, and says in both languages what happened and what to do', async () => {
  for (const [language, act, done, settled] of [
    ['en', 'End all access', 'API tokens revoked: 1.', 'You have dealt with this already'],
    ['ru', 'Закрыть доступ', 'Отозвано токенов API: 1.', 'С этим вы уже разобрались'],
  ] as const) {
    const { token } = await owner();
    const reader = new Reader(language);
    const before = await reader.open(`/auth/disown?token=${token}`);
    expect(before.html).toContain(act);
    expect(before.html).toContain(`<input type="hidden" name="token" value="${token}"`);
    const after = await reader.open(`/auth/disown?token=${token}`, { token });
    expect(after.status).toBe(200);
    expect(after.html).toContain(done);
    expect(after.html).toContain('href="/auth/forgot-password"');
    expect(after.html).not.toContain(act);
    const sentWithoutQuery = await reader.open('/auth/disown', { token: (await owner()).token });
    expect([sentWithoutQuery.status, sentWithoutQuery.html.includes(done)]).toEqual([200, true]);
    const again = await reader.open(`/auth/disown?token=${token}`);
    expect([again.status, again.html.includes(settled), again.html.includes(act)]).toEqual([
      200,
      true,
      false,
    ]);
  }
});

test('Links cannot be guessed: after several attempts the address has to wait', async () => {
  const { token, visitor } = await owner();
  const guesser = new Visitor();
  for (let tried = 0; tried < 30; tried++) await press(`guess-${tried}`, guesser);
  const answer = await press(token, guesser);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await isIn(visitor)).toBe(true);
  expect(await press(token)).toMatchObject({ body: { kind: 'ended' } });
});
