import { eq } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { apiTokens } from '#db/schema/access.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { emailTokens, sessions, users } from '#db/schema/user.ts';
import { member, signUpForm } from '../support/member.ts';
import { type RouteModule, routeModules } from '../support/route-modules.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

const { password } = signUpForm();
const letter = {
  name: 'Demo person',
  email: 'guest@example.org',
  message: 'A short message to the operator.',
};
const confirmed = { password: 'another sentence', password_confirmation: 'another sentence' };

/** What each form is really sent with. Routes that only ask to confirm send nothing. */
const forms: Record<string, (email: string) => Record<string, string>> = {
  '/language': () => ({ language: 'ru', to: '/' }),
  '/theme': () => ({ theme: 'dark', to: '/' }),
  '/help': () => letter,
  '/contact_us': () => letter,
  '/auth/signup': () => signUpForm(),
  '/auth/signin': (email) => ({ email, password }),
  '/auth/forgot-password': (email) => ({ email }),
  '/auth/reset-password': (email) => ({ email, token: 'made-up', ...confirmed }),
  '/profile/name': () => ({ name: 'Another name' }),
  '/profile/email': () => ({ email: signUpForm().email, password }),
  '/profile/password': () => ({ current: password, next: 'another sentence' }),
  '/settings/tokens': () => ({ name: 'Script' }),
  '/settings/delete': () => ({ current: password }),
  '/channel/chat': () => ({ locale: 'own' }),
  '/channel/guests': () => ({ login: 'nobody_by_this_name' }),
};

/** Names that a form of ours has somewhere, or that a column has, with values that would do harm. */
const extra = (victimId: string): Record<string, string> => ({
  ...Object.fromEntries(
    ['id', 'userId', 'user_id', 'ownerId', 'owner_id', 'sub', 'account'].map((name) => [name, victimId]),
  ),
  name: 'Taken over',
  email: 'taken-over@example.org',
  password: 'taken over by force',
  passwordHash: 'taken',
  password_hash: 'taken',
  emailVerifiedAtMs: '1',
  email_verified_at_ms: '1',
  verified: 'true',
  role: 'admin',
  is_admin: 'true',
  locale: 'ru',
  language: 'ru',
  theme: 'light',
  createdAtMs: '1',
  deletedAtMs: '1',
  deleted_at_ms: '1',
  state: 'claimed',
  tokenHash: 'taken',
  token_hash: 'taken',
  expiresAtMs: '9999999999999',
  __proto__x: '1',
  'constructor.prototype.verified': 'true',
});

/** A user's row and what hangs on it, without what differs between any two people. */
async function stateOf(userId: string) {
  const { read } = await database();
  const [row] = await read.select().from(users).where(eq(users.id, userId));
  const { id: _, email, createdAtMs, ...user } = row ?? ({} as typeof users.$inferSelect);
  const tokens = await read.select().from(apiTokens).where(eq(apiTokens.userId, userId));
  const links = await read.select().from(emailTokens).where(eq(emailTokens.userId, userId));
  const letters = await read.select().from(contactMessages).where(eq(contactMessages.userId, userId));
  return {
    ...user,
    email: email?.replace(/demo-\d+@/, 'demo@').replace(userId, 'id'),
    isOld: createdAtMs < 1_000_000,
    passwordHash: user.passwordHash?.slice(0, 10),
    emailVerifiedAtMs: user.emailVerifiedAtMs !== null,
    deletedAtMs: user.deletedAtMs !== null,
    tokens: tokens.map(({ name, tokenHash }) => [name, tokenHash === 'taken']),
    links: links.map(({ purpose, email: to }) => [purpose, to.startsWith('taken')]).sort(),
    letters: letters.map(({ name, message }) => [name, message]),
    sessions: await read.$count(sessions, eq(sessions.userId, userId)),
  };
}

const idOf = async (email: string) =>
  (await (await database()).read.select().from(users).where(eq(users.email, email)))[0]?.id ?? '';

let victimId = '';
beforeAll(async () => {
  victimId = await idOf((await member()).email);
});

/** Sends a form as somebody new, and answers what became of them. */
async function send(route: RouteModule, more: Record<string, string>) {
  const { visitor, email } = await member();
  const userId = await idOf(email);
  const form = { ...more, ...forms[route.path]?.(email) };
  const [guard] = route.guards;
  // The pages for visitors are for who is not signed in.
  const sender = route.path.startsWith('/auth/') && route.path !== '/auth/signout' ? new Visitor() : visitor;
  const call = { form, params: { id: 'none' }, ...(guard && { guard }) };
  const { status } = await sender.call(route.action as never, route.path, call);
  const signedUp = route.path === '/auth/signup' ? await stateOf(await idOf(form.email ?? '')) : null;
  return { status, sender: await stateOf(userId), signedUp };
}

const routes = (await routeModules())
  .filter(({ action, path }) => action && !path.startsWith('/api/') && !path.startsWith('/sanctum/'))
  .map((route) => [route.path, route] as const);

test('Every form that is filled in belongs to a route', () => {
  const paths = routes.map(([path]) => path);
  expect(Object.keys(forms).filter((path) => !paths.includes(path))).toEqual([]);
});

test.each(routes)('A form for %s changes what it asks for and nothing else', async (_, route) => {
  const victim = await stateOf(victimId);
  const plain = await send(route, {});
  const loaded = await send(route, extra(victimId));
  expect(loaded).toEqual(plain);
  expect(await stateOf(victimId)).toEqual(victim);
});
