import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { loader as confirmLoader } from '#app/routes/account/confirm-identity.tsx';
import { loader as startTwitch } from '#app/routes/auth/twitch.ts';
import { loader as twitchCallback } from '#app/routes/auth/twitch-callback.ts';
import { action as endFreeze } from '#app/routes/settings/freeze.tsx';
import { action as issueToken } from '#app/routes/settings/tokens.tsx';
import { database } from '#app/services/database.server.ts';
import { apiTokens } from '#db/schema/access.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { minute } from '#domain/kernel/time.ts';
import { disown } from '#tests/support/freezing.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { decideElsewhere } from '../support/decide-elsewhere.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { member } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';
import { userOf } from '../support/with-authenticator.ts';

const twitch = await startFakeTwitch();
await setWeb({ BOT_URL: 'http://127.0.0.1:9', ...twitch.environment });

const guard = verified;
const confirmPage = '/profile/confirm?to=/settings/tokens';
const confirming = '/auth/twitch?from=confirm&to=/settings/tokens';
let logins = 0;

/** Somebody with Twitch connected, whose session was confirmed eleven minutes ago. */
async function owner() {
  const { visitor } = await member();
  const { login } = twitch.world.addUser({ login: `demo_flows_${++logins}` });
  const { location } = await visitor.call(startTwitch, '/auth/twitch');
  await visitor.call(twitchCallback, await decideElsewhere(location ?? '', { decision: 'approve', login }));
  await confirmedAgo(visitor, 11 * minute);
  return { visitor, login };
}

const begin = async (visitor: Visitor, page: string) =>
  (await visitor.call(startTwitch, page)).location ?? '';
const isConfirmed = async (visitor: Visitor) =>
  (await visitor.call(confirmLoader, confirmPage, { guard })).location === '/settings/tokens';

/** The answer that Twitch gives without asking, because all of it was allowed before. */
async function silently(address: string, login: string): Promise<string> {
  const headers = { Cookie: `sandbox_twitch_login=${login}` };
  const answer = await fetch(address, { headers, redirect: 'manual' });
  return answer.headers.get('Location') ?? '';
}

test('A flow begun to connect the account, which Twitch answers silently, confirms nobody while another flow confirms', async () => {
  const { visitor, login } = await owner();
  const linking = await begin(visitor, '/auth/twitch');
  const back = await silently(linking, login);
  expect(new URL(back).searchParams.has('code')).toBe(true);
  // The thief begins to confirm beside it, and does not go through with it.
  await begin(visitor, confirming);
  await visitor.call(twitchCallback, back);
  expect(await isConfirmed(visitor)).toBe(false);
});

test('A flow that confirms is always asked about: Twitch answers it with its page', async () => {
  const { visitor, login } = await owner();
  const address = await begin(visitor, confirming);
  expect(new URL(address).searchParams.get('force_verify')).toBe('true');
  const headers = { Cookie: `sandbox_twitch_login=${login}` };
  const shown = await fetch(address, { headers, redirect: 'manual' });
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Authorize')]);
});

test('An answer to a flow that signs in confirms nobody', async () => {
  const { visitor, login } = await owner();
  const stranger = new Visitor();
  const back = await decideElsewhere(await begin(stranger, '/auth/twitch'), { decision: 'approve', login });
  for (const name of stranger.cookieNames()) visitor.plant(name, stranger.cookie(name) ?? '');
  await begin(visitor, confirming);
  expect((await visitor.call(twitchCallback, back)).toast).toBe('errors.twitch.notStartedHere');
  expect(await isConfirmed(visitor)).toBe(false);
});

test('A flow that confirms is for the very session that began it', async () => {
  const { visitor, login } = await owner();
  const back = await decideElsewhere(await begin(visitor, confirming), { decision: 'approve', login });
  const other = new Visitor();
  const entered = await begin(other, '/auth/twitch');
  await other.call(twitchCallback, await decideElsewhere(entered, { decision: 'approve', login }));
  await confirmedAgo(other, 11 * minute);
  for (const name of visitor.cookieNames())
    if (name.startsWith('keepsake_twitch')) other.plant(name, visitor.cookie(name) ?? '');
  expect((await other.call(twitchCallback, back)).toast).toBe('errors.twitch.notStartedHere');
  expect(await isConfirmed(other)).toBe(false);
  expect((await visitor.call(twitchCallback, back)).location).toBe('/settings/tokens');
  expect(await isConfirmed(visitor)).toBe(true);
});

/** Allows at Twitch the permissions of a sign-in, like a person who has signed in before. */
const allowSignIn = async (login: string) =>
  decideElsewhere(await begin(new Visitor(), '/auth/twitch'), { decision: 'approve', login });

/** Signs a new browser in by a flow that begins at this page, which Twitch answers without a question where it can. */
async function enterSilently(login: string, page = '/auth/twitch'): Promise<Visitor> {
  const visitor = new Visitor();
  const back = await silently(await begin(visitor, page), login);
  expect(new URL(back).searchParams.has('code')).toBe(true);
  await visitor.call(twitchCallback, back);
  return visitor;
}

test.each(['/auth/twitch', '/auth/twitch?from=signin&to=/settings/tokens', '/auth/twitch?from=confirm'])(
  'A sign-in begun at %s that Twitch answers silently is not confirmed until its user proves who they are',
  async (page) => {
    const { login, visitor: first } = await owner();
    const userId = await userOf(first);
    await allowSignIn(login);
    const visitor = await enterSilently(login, page);
    expect(await userOf(visitor)).toBe(userId);
    expect(await isConfirmed(visitor)).toBe(false);
    const form = { name: 'Script' };
    const refused = await visitor.call(issueToken, '/settings/tokens', { form, guard });
    expect(refused.location).toMatch(/^\/profile\/confirm\?/);
    const { read } = await database();
    expect(await read.$count(apiTokens, eq(apiTokens.userId, userId))).toBe(0);

    const back = await decideElsewhere(await begin(visitor, confirming), { decision: 'approve', login });
    await visitor.call(twitchCallback, back);
    expect((await visitor.call(issueToken, '/settings/tokens', { form, guard })).status).toBe(200);
  },
);

test('A silent sign-in after “This wasn’t me” leaves the account frozen', async () => {
  const { login, visitor: first } = await owner();
  const db = await database();
  const userId = await userOf(first);
  await allowSignIn(login);
  await disown(db, { userId }, Date.now() - minute, Date.now());
  const thief = await enterSilently(login);
  const asked = await thief.call(endFreeze, '/settings/freeze', { form: {}, guard });
  expect(asked.location).toBe('/profile/confirm?to=%2Fsettings%2Ffreeze');
  expect(await findFreeze(db.read, { userId })).not.toBeNull();
});

test('A sign-in that goes on to end a freeze is asked about, and is confirmed', async () => {
  const { login, visitor: first } = await owner();
  const db = await database();
  const userId = await userOf(first);
  await disown(db, { userId }, Date.now() - minute, Date.now());
  const visitor = new Visitor();
  const address = await begin(visitor, '/auth/twitch?from=signin&to=/settings/freeze');
  expect(new URL(address).searchParams.get('force_verify')).toBe('true');
  const back = await decideElsewhere(address, { decision: 'approve', login });
  expect((await visitor.call(twitchCallback, back)).location).toBe('/settings/freeze');
  await visitor.call(endFreeze, '/settings/freeze', { form: {}, guard });
  expect(await findFreeze(db.read, { userId })).toBeNull();
});

test('An account that a silent sign-in makes is not confirmed either', async () => {
  const { login, id } = twitch.world.addUser({ login: `demo_flows_${++logins}` });
  await allowSignIn(login);
  const visitor = await enterSilently(login);
  const { read } = await database();
  const [linked] = await read.select().from(twitchAccounts).where(eq(twitchAccounts.twitchId, id));
  expect(linked?.userId).toBe(await userOf(visitor));
  expect(await isConfirmed(visitor)).toBe(false);
});
