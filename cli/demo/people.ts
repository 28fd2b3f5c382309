import { randomBytes } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { choosePassword } from '#domain/identity/password/choose-password.ts';
import { eventChatScopes, ircScopes, streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
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

/** Signs a user up, opens the link in the mail, and links Twitch and Steam. */
export async function settle(
  context: DemoContext,
  who: { name: string; login: string; steamName: string; isStreamer: boolean },
): Promise<DemoPerson> {
  const { db, vault, world } = context;
  const password = newPassword();
  const email = `${who.login.replaceAll('_', '-')}@example.org`;
  const chosen = await choosePassword(password, { name: who.name, email, site: '' });
  if (!chosen.ok) throw new Error(`a generated password was refused: ${chosen.code}`);
  const { passwordHash } = chosen;
  const registered = await registerUser(
    db,
    { name: who.name, email, passwordHash, locale: 'en' },
    world.nowMs,
  );
  if (!registered.ok) throw new Error(`${email} could not be signed up: ${registered.code}`);
  const { userId } = registered;
  await followMailedLink(db, email, world.nowMs);

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

/** Connects the chat account. */
export async function settleChatAccount(context: DemoContext, login: string): Promise<void> {
  const { db, vault, world } = context;
  const { id: twitchId } = find(world.twitch.users, (each) => each.login === login, login);
  const grant = await authorize(context.twitch, login, [...ircScopes, ...eventChatScopes]);
  await connectChatAccount(db, { vault, twitchId, login, grant });
}

async function followMailedLink(db: Database, recipient: string, nowMs: number): Promise<void> {
  const [mail] = await db.read
    .select({ values: mails.values })
    .from(mails)
    .where(and(eq(mails.recipient, recipient), eq(mails.template, 'verifyEmail')));
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
