import type { AccountReport } from '#bot/steam/try-account.ts';
import { day } from '#domain/kernel/time.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { readRefreshToken } from '#platform/steam-refresh-token.ts';
import { describeFindings } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/finding.ts';
import { remedyForBotFault } from '../doctor/remedy-for-bot-fault.ts';

/** One run of init, as the steps see it. */
export interface Visit {
  print(line: string): void;
  /** Aborted when the person who is asked has left. */
  left: AbortSignal;
  /** Entries that were sound; they are not logged on again. */
  soundBots: Set<string>;
  /** Tokens that Steam gave for a password and a code: each code counts only once. They are forgotten at the end. */
  tokens: Map<string, string>;
}

/** Steam holds items that an account gives for this long after its authenticator was added. */
const HOLD_DAYS = 7;
const notDelivered = 'Items that it holds can be neither claimed nor returned.';

/**
 * Logs each bot on for a moment, and returns what keeps it from working. Faults that only need patience are
 * printed.
 */
export async function tryBots(
  bots: readonly SteamCredentials[],
  proxy: string | null,
  visit: Visit,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const bot of bots) {
    const key = JSON.stringify([bot, proxy]);
    if (visit.soundBots.has(key) || visit.left.aborted) continue;
    const found = await tryBot(bot, proxy, visit);
    if (found.length === 0) visit.soundBots.add(key);
    findings.push(...found);
  }
  return findings;
}

async function tryBot(bot: SteamCredentials, proxy: string | null, visit: Visit): Promise<Finding[]> {
  const read = 'refreshToken' in bot ? readRefreshToken(bot.refreshToken, Date.now()) : null;
  if (read && !read.ok) return [refused(bot.name, read.fault)];
  visit.print(`Logging ${bot.name} on to Steam for a moment; this takes up to a minute.`);
  const byPassword =
    'password' in bot ? JSON.stringify([bot.accountName, bot.password, bot.sharedSecret]) : null;
  const refreshToken = byPassword === null ? undefined : visit.tokens.get(byPassword);
  // Loaded only here, because other commands need none of Steam's packages.
  const { tryAccount } = await import('#bot/steam/try-account.ts');
  const outcome = await tryAccount({ credentials: bot, refreshToken, proxy, signal: visit.left });
  if (!outcome.ok) {
    if (byPassword !== null) visit.tokens.delete(byPassword);
    return [refused(bot.name, outcome.fault)];
  }
  const { report } = outcome;
  if (byPassword !== null && report.refreshToken !== null) visit.tokens.set(byPassword, report.refreshToken);
  const held = holdOf(bot.name, report);
  if (held) visit.print(describeFindings([held]));
  return findingsOf(bot.name, report);
}

function refused(bot: string, fault: string): Finding {
  const again =
    fault === 'guardCodeRefused'
      ? ' Each code counts once: if the account logged on just now, wait for half a minute.'
      : '';
  return {
    name: 'steamLogOnRefused',
    what: `The bot ${bot} cannot log on to Steam: ${fault}.`,
    why: notDelivered,
    remedy: `${remedyForBotFault(fault)}${again}`,
  };
}

/** Lists the faults that somebody has to correct, on Steam or in the answers. */
function findingsOf(bot: string, report: AccountReport): Finding[] {
  const findings: Finding[] = [];
  if (report.isIdentityAccepted !== true) findings.push(identityFinding(bot, report.isIdentityAccepted));
  if (report.isLocked)
    findings.push({
      name: 'steamAccountLocked',
      what: `Steam has locked the account of the bot ${bot}.`,
      why: notDelivered,
      remedy: 'Ask Steam Support, or use another account.',
    });
  if (report.isLimited)
    findings.push({
      name: 'steamAccountLimited',
      what: `The account of the bot ${bot} is limited: less than 5 US dollars were spent from it.`,
      why: 'A limited account can neither trade nor use the Web API.',
      remedy: 'Buy something for 5 US dollars with it, or add as much to its wallet.',
    });
  if (report.isTradeBanned)
    findings.push({
      name: 'steamTradeBanned',
      what: `Steam does not let the account of the bot ${bot} trade.`,
      why: notDelivered,
      remedy: 'Wait until the ban ends, which its profile tells, ask Steam Support, or use another account.',
    });
  return findings;
}

const identityFinding = (bot: string, isAccepted: false | null): Finding =>
  isAccepted === null
    ? {
        name: 'steamConfirmationsUnread',
        what: `Steam did not tell what the bot ${bot} has to confirm, so its identitySecret is not tested.`,
        why: 'Without the right one, no offer in which it gives an item is sent.',
        remedy: 'Try again in some minutes.',
      }
    : {
        name: 'steamIdentitySecretRefused',
        what: `Steam refuses what the identitySecret of the bot ${bot} signs.`,
        why: 'The bot could not confirm its offers, so no item would leave it.',
        remedy:
          'Copy identity_secret (not shared_secret) from the file of the authenticator that the account has now.',
      };

/** Not a fault but a wait: the account works, and Steam holds the items that it gives. */
function holdOf(bot: string, { authenticatorSinceMs }: AccountReport): Finding | null {
  if (authenticatorSinceMs === null) return null;
  const untilMs = authenticatorSinceMs + HOLD_DAYS * day;
  if (untilMs <= Date.now()) return null;
  return {
    name: 'steamAuthenticatorNew',
    what: `The authenticator of the bot ${bot} is less than ${HOLD_DAYS} days old.`,
    why: 'Until then Steam holds what the account gives for up to 15 days.',
    remedy: `Deliver nothing before ${new Date(untilMs).toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
  };
}
