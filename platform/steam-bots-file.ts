import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ConfigurationFault } from './configuration.ts';

const secret = z.string().regex(/^[A-Za-z0-9+/]{27}=$/, 'must be 20 bytes in base64');
const common = {
  name: z.string().trim().min(1, 'must not be empty').max(60, 'must have at most 60 characters'),
  identitySecret: secret,
  proxy: z.url({ protocol: /^https?$/, message: 'must be an http or https address' }).optional(),
};
const byToken = z.object({ ...common, refreshToken: z.string().min(1, 'must not be empty') });
const byPassword = z.object({
  ...common,
  accountName: z.string().min(1, 'must not be empty'),
  password: z.string().min(1, 'must not be empty'),
  sharedSecret: secret,
});

/** A trade bot's log-on credentials and the secret for its mobile confirmations. */
export type SteamCredentials = z.output<typeof byToken> | z.output<typeof byPassword>;

const example =
  'STEAM_BOTS_FILE=the path of a JSON file such as [{"name": "Bot 1", "refreshToken": "…", "identitySecret": "…"}], or with accountName, password and sharedSecret in place of refreshToken';

type BotsOutcome = { ok: true; bots: SteamCredentials[] } | { ok: false; faults: ConfigurationFault[] };

const fault = (problem: string) => ({ variable: 'STEAM_BOTS_FILE', problem, example });

/** Reads the list of trade bots; each fault names the entry and the problem. */
export function readSteamBotsFile(path: string): BotsOutcome {
  try {
    return checkSteamBots(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const unreadable = !(error instanceof SyntaxError);
    return {
      ok: false,
      faults: [
        fault(unreadable ? `names a file that cannot be read (${path})` : 'names a file that is not JSON'),
      ],
    };
  }
}

/** Checks the content of such a file. */
export function checkSteamBots(entries: unknown): BotsOutcome {
  if (!Array.isArray(entries)) return { ok: false, faults: [fault('must hold a list of bots')] };
  const bots: SteamCredentials[] = [];
  const faults: ConfigurationFault[] = [];
  entries.forEach((entry: unknown, index) => {
    const hasToken = typeof entry === 'object' && entry !== null && 'refreshToken' in entry;
    const parsed = (hasToken ? byToken : byPassword).safeParse(entry);
    if (parsed.success) bots.push(parsed.data);
    else
      for (const issue of parsed.error.issues)
        faults.push(fault(`entry ${index + 1}: ${issue.path.join('.') || 'it'} ${describeIssue(issue)}`));
  });
  const names = new Set(bots.map((bot) => bot.name));
  if (names.size < bots.length) faults.push(fault('gives one name to two bots'));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, bots };
}

const describeIssue = (issue: { code?: string; input?: unknown; message: string }) =>
  issue.code === 'invalid_type' ? 'is missing or not a text' : issue.message;
