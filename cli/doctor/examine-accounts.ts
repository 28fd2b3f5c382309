import type { Database } from '#db/database.ts';
import { keyFaults } from '#db/engine/prove-key.ts';
import { bots } from '#db/schema/bot.ts';
import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import { countChats, MAX_IRC_CHATS } from '#domain/chat/count-chats.ts';
import { eventChatScopes, ircScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { day } from '#domain/kernel/time.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { readRefreshToken } from '#platform/steam-refresh-token.ts';
import { examineChatToken } from './examine-twitch.ts';
import type { Finding } from './finding.ts';
import { remedyForBotFault } from './remedy-for-bot-fault.ts';

const EXPIRES_SOON_MS = 14 * day;
/** The share of IRC's chats from which on the operator should be ready for more. */
const NEARLY_FULL = 0.8;

/** Examines the chat accounts that TWITCH_BOT_LOGIN names, and asks Twitch about tokens that should still be valid. */
export async function examineChatAccounts(
  { db, vault }: { db: Database; vault: Vault },
  { logins, authUrl }: { logins: readonly string[]; authUrl: URL },
  systemMs: number,
): Promise<Finding[]> {
  const connect = (login: string) => `Run \`keepsake connect-chat-account\` and sign in as ${login}.`;
  const why = 'Commands in chat are not answered, and promises are not announced.';
  const { all, notAllowed, shared } = await countChats(db.read);
  const isNearlyFull = all > NEARLY_FULL * MAX_IRC_CHATS * logins.length;
  const scopes = [...ircScopes, ...(isNearlyFull || shared > 0 ? eventChatScopes : [])];
  const findings: Finding[] = [];
  if (logins.length > 0 && notAllowed > 0) findings.push(chatsClosed(notAllowed));
  if (logins.length > 0 && shared > 0) findings.push(chatsShared(shared));
  for (const login of logins) {
    const account = await findChatAccount(db, { vault, login }).catch(() => 'unreadable' as const);
    if (account === 'unreadable')
      findings.push({
        name: 'encryptionKeyWrong',
        what: `The stored token of the chat account ${login} cannot be decrypted.`,
        why: 'It was encrypted with another key.',
        remedy: `${keyFaults.wrong.remedy} If other tokens can be read: ${connect(login)}`,
      });
    else if (!account)
      findings.push({
        name: 'chatAccountMissing',
        what: `The chat account ${login} is not connected.`,
        why,
        remedy: connect(login),
      });
    else if (account.broken)
      findings.push({
        name: 'chatAccountRefused',
        what: `Twitch has revoked the permission of the chat account ${login}.`,
        why,
        remedy: connect(login),
      });
    else {
      const { accessToken, obtainedAtMs, lifetimeSeconds } = account.grant;
      // An older one is renewed by the bot when it needs it.
      if (obtainedAtMs + lifetimeSeconds * 1000 > systemMs)
        findings.push(...(await examineChatToken(authUrl, { login, accessToken, scopes })));
    }
  }
  return findings;
}

const chatsClosed = (count: number): Finding => ({
  name: 'chatsNotAllowed',
  what: `The bot cannot be in ${count === 1 ? 'one chat' : `${count} chats`}.`,
  why: `Beyond ${MAX_IRC_CHATS} chats of one account, Twitch asks for each broadcaster's permission.`,
  remedy:
    'Ask the streamers to let the bot in on the page of their channel, or to make it a moderator, or add a chat account to TWITCH_BOT_LOGIN.',
});

const chatsShared = (count: number): Finding => ({
  name: 'chatsShared',
  what: `The bot writes nothing into ${count === 1 ? 'one chat' : `${count} chats`}.`,
  why: 'The chat is shared with other channels, where its lines would show too.',
  remedy:
    'Ask the streamers to let the bot in on the page of their channel, or to make it a moderator, and connect the chat account again if it lacks a permission.',
});

/** Examines the refresh tokens of STEAM_BOTS_FILE. One that Steam has renewed since is in the database instead. */
export async function examineSteamTokens(
  { db, vault }: { db: Database; vault: Vault },
  listed: readonly SteamCredentials[],
  systemMs: number,
): Promise<Finding[]> {
  const rows = await db.read.select({ id: bots.id, sealed: bots.refreshTokenSealed }).from(bots);
  const renewedToken = (sealed: string, name: string) => {
    try {
      return readRefreshToken(vault.open(sealed, `bot:${name}`), systemMs);
    } catch {
      return null;
    }
  };
  return listed.flatMap((bot) => {
    if (!('refreshToken' in bot)) return [];
    const sealed = rows.find(({ id }) => id === bot.name)?.sealed;
    const own = readRefreshToken(bot.refreshToken, systemMs);
    const renewed = sealed ? renewedToken(sealed, bot.name) : null;
    const token = renewed?.ok ? renewed : own;
    if (!token.ok) return [refusedToken(bot.name, token.fault)];
    if (token.expiresAtMs - systemMs > EXPIRES_SOON_MS) return [];
    return [
      {
        name: 'steamTokenExpiring',
        what: `The refresh token of the bot ${bot.name} expires on ${new Date(token.expiresAtMs).toISOString().slice(0, 10)}.`,
        why: 'From then on the bot cannot log on, and its items can be neither claimed nor returned.',
        remedy: 'Let the bot run: it renews the token by itself. If it does run, log the account on again.',
      },
    ];
  });
}

const refusedToken = (bot: string, fault: string): Finding => ({
  name: 'steamTokenRefused',
  what: `The refresh token of the bot ${bot} cannot be used: ${fault}.`,
  why: 'The bot cannot log on, and its items can be neither claimed nor returned.',
  remedy: remedyForBotFault(fault),
});
