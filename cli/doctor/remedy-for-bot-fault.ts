const newToken =
  'Log the account on again, put the new refresh token in STEAM_BOTS_FILE, and restart the bot.';

/** The remedy for each reason for which a bot is not logged on to Steam. */
const remedies: Readonly<Record<string, string>> = {
  tokenUnreadable: `It is no refresh token. ${newToken}`,
  tokenWrongKind: `The token was made for a browser. ${newToken} It must be made for the Steam client.`,
  tokenExpired: `It lasts for about 200 days and is renewed only while the bot runs. ${newToken}`,
  credentialsRefused: `The password was changed, or the token was revoked. ${newToken}`,
  otherAccount: 'Its entry belongs to another account than before. Give each account a name of its own.',
  sessionTaken: 'Somebody else uses the account. Log off everywhere else; the bot tries again by itself.',
  guardCodeRefused: 'Correct sharedSecret in STEAM_BOTS_FILE, and the clock of this machine.',
  loginsLimited: 'Steam allows no more log-ons for now. Wait; the bot tries again by itself.',
  accountDisabled: 'Steam has locked the account. Ask Steam Support.',
  steamUnavailable: 'Check the network and steamstat.us; the bot tries again by itself.',
  starting: 'It is still logging on. Run this again in a minute.',
};

/** Returns the remedy for a bot with this fault. */
export const remedyForBotFault = (fault: string): string =>
  remedies[fault] ?? 'Correct its entry in STEAM_BOTS_FILE and restart the bot.';
