import { randomBytes } from 'node:crypto';
import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { discardUnverified } from '#domain/account/discard-unverified.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';
import { choosePassword } from '#domain/identity/password/choose-password.ts';
import { chatAccountScopes, streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { authorize } from './authorize.ts';
import type { World } from './panel.ts';

export interface DemoPerson {
  userId: string;
  name: string;
  email: string;
  password: string;
}

interface DemoContext {
  db: Database;
  vault: Vault;
  twitch: { authUrl: string; clientId: string };
  world: World;
}

/** A password that is easy to type: sixteen letters and digits in four groups. */
const newPassword = (): string =>
  (randomBytes(12).toString('hex').slice(0, 16).match(/.{4}/g) ?? []).join('-');

/** Signs a user up, opens the link in the mail, and links Twitch and Steam. Again it goes on where it was interrupted. */
export async function settle(
  context: DemoContext,
  who: { name: string; login: string; steamName: string; isStreamer: boolean },
): Promise<DemoPerson> {
  const { db, vault, world } = context;
  const password = newPassword();
  const email = `${who.login.replaceAll('_', '-')}@example.org`;
  const userId = await signUp(context, { name: who.name, email, password });

  const twitch = find(world.twitch.users, (each) => each.login === who.login, who.login);
  const grant = await authorize(context.twitch, who.login, who.isStreamer ? streamerScopes : []);
  const person = {
    twitchId: twitch.id,
    login: twitch.login,
    displayName: twitch.displayName,
    pictureUrl: twitch.pictureUrl,
    email: null,
  };
  must(await linkTwitch(db, { vault, userId, person, grant }, world.nowMs));

  const steam = find(world.steam.users, (each) => each.name === who.steamName, who.steamName);
  must(await linkSteam(db, { userId, steamId: steam.steamId, personaName: steam.name }, world.nowMs));
  must(await setTradeLink(db, { userId, tradeLink: steam.tradeUrl }, world.nowMs));
  return { userId, name: who.name, email, password };
}

/** Somebody whose sign-up was interrupted gets a new password: nobody noted the one before. */
async function signUp(
  { db, world: { nowMs } }: DemoContext,
  { name, email, password }: Omit<DemoPerson, 'userId'>,
): Promise<string> {
  const chosen = await choosePassword(password, { name, email, site: '' });
  if (!chosen.ok) throw new Error(`a generated password was refused: ${chosen.code}`);
  const { passwordHash } = chosen;
  await db.transaction((tx) => discardUnverified(tx, { email }, nowMs));
  const registered = await registerUser(db, { name, email, passwordHash, locale: 'en' }, nowMs);
  if (registered.ok) {
    await followMailedLink(db, email, nowMs);
    return registered.userId;
  }
  const [verified] = await db.transaction((tx) =>
    tx.update(users).set({ passwordHash }).where(hasEmail(email)).returning({ userId: users.id }),
  );
  if (!verified) throw new Error(`${email} could not be signed up: ${registered.code}`);
  return verified.userId;
}

/** Connects the chat account. */
export async function settleChatAccount(context: DemoContext, login: string): Promise<void> {
  const { db, vault, world } = context;
  const { id: twitchId } = find(world.twitch.users, (each) => each.login === login, login);
  const grant = await authorize(context.twitch, login, chatAccountScopes);
  await connectChatAccount(db, { vault, twitchId, login, grant });
}

async function followMailedLink(db: Database, recipient: string, nowMs: number): Promise<void> {
  const [mail] = await db.read
    .select({ values: mails.values })
    .from(mails)
    .where(and(eq(mails.recipient, recipient), eq(mails.template, 'verifyEmail')))
    .orderBy(desc(mails.id))
    .limit(1);
  must(await verifyEmail(db, { token: mail?.values.token ?? '' }, nowMs));
}

function find<T>(list: readonly T[], matches: (each: T) => boolean, what: string): T {
  const found = list.find(matches);
  if (!found) throw new Error(`the demo world has no ${what}`);
  return found;
}

function must(outcome: { ok: true } | { ok: false; code: string }): void {
  if (!outcome.ok) throw new Error(`the demo world could not be set up: ${outcome.code}`);
}
