import { describeFaults } from '#platform/configuration.ts';
import { checkSteamBots, readSteamBotsFile } from '#platform/steam-bots-file.ts';
import type { Prompt } from './prompt.ts';

type Print = (line: string) => void;
type Entry = Record<string, string>;

const byToken = ['identitySecret'] as const;
const byPassword = ['accountName', 'password', 'sharedSecret', 'identitySecret'] as const;
const open = new Set(['accountName']);

/** Asks for one bot; null if nobody answers. */
async function askForBot(name: string, prompt: Prompt): Promise<Entry | null> {
  const token = await prompt.ask('  Refresh token (Enter to log on with name and password): ', {
    secret: true,
  });
  if (token === null) return null;
  const entry: Entry = token === '' ? { name } : { name, refreshToken: token };
  for (const field of token === '' ? byPassword : byToken) {
    const answer = await prompt.ask(`  ${field}: `, { secret: !open.has(field) });
    if (answer === null) return null;
    entry[field] = answer;
  }
  return entry;
}

/** Asks for bots until an empty name. Returns the list as the file has it; null if nobody answers any more. */
export async function askForBots(prompt: Prompt, print: Print): Promise<Entry[] | null> {
  const entries: Entry[] = [];
  for (;;) {
    const again =
      entries.length === 0 ? 'Name of the first bot' : 'Name of another bot (Enter if that is all)';
    const name = await prompt.ask(`${again}: `);
    if (name === null) return null;
    if (name === '') return entries;
    const entry = await askForBot(name, prompt);
    if (entry === null) return null;
    const checked = checkSteamBots([...entries, entry]);
    if (checked.ok) entries.push(entry);
    else print(describeFaults(checked.faults));
  }
}

/**
 * Asks again for one bot of a file, as often as its answers do not fit. Empty: the file stays as it is, as without such a
 * bot; null if nobody answers any more.
 */
export async function askAgain(
  path: string,
  name: string,
  { prompt, print }: { prompt: Prompt; print: Print },
): Promise<readonly object[] | null> {
  const listed = readSteamBotsFile(path);
  const at = listed.ok ? listed.bots.findIndex((bot) => bot.name === name) : -1;
  if (!listed.ok || at < 0) {
    print(listed.ok ? `There is no bot ${name} in it.` : describeFaults(listed.faults));
    return [];
  }
  for (;;) {
    const entry = await askForBot(name, prompt);
    if (entry === null) return null;
    const { proxy } = listed.bots[at] ?? {};
    const checked = checkSteamBots(listed.bots.with(at, { ...entry, ...(proxy && { proxy }) } as never));
    if (checked.ok) return checked.bots;
    print(describeFaults(checked.faults));
  }
}
