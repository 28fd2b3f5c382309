import { z } from 'zod';
import { askServer, jsonIn } from './ask.ts';
import type { Finding } from './finding.ts';
import { remedyForBotFault } from './remedy-for-bot-fault.ts';

const readiness = z.object({
  parts: z.record(z.string(), z.object({ state: z.string(), detail: z.string().optional() })),
});

/** Asks the running bot how each of its parts is doing, its accounts on Steam among them: nothing else is logged on. */
export async function examineBot(botUrl: URL, secret: string | null): Promise<Finding[]> {
  const answer = await askServer(
    new URL('/readyz', botUrl),
    secret ? { headers: { 'x-bot-secret': secret } } : {},
  );
  if (answer.status === 401)
    return [
      {
        name: 'botSecretRefused',
        what: 'The bot refuses the secret between web and bot.',
        why: 'The web process cannot read inventories, and changes reach the bot seconds later.',
        remedy: 'Give web, bot and this command the same BOT_SECRET, or the same data folder.',
      },
    ];
  const read = readiness.safeParse(jsonIn(answer));
  if (!read.success)
    return [
      {
        name: 'botUnreachable',
        what: `The bot does not answer at ${botUrl.origin} (${answer.reason || `status ${answer.status}`}).`,
        why: 'Nothing is counted, sent or mailed.',
        remedy: 'Start the bot, and check BOT_URL or BOT_PORT.',
      },
    ];
  return Object.entries(read.data.parts)
    .filter(
      ([name, { state }]) => name !== 'steam' && name !== 'database' && state !== 'ready' && state !== 'off',
    )
    .map(([name, { state, detail }]) => findingOf(name, detail || state));
}

function findingOf(part: string, detail: string): Finding {
  const bot = /^steam: (.+)$/.exec(part)?.[1];
  if (bot)
    return {
      name: 'steamBotNotReady',
      what: `The bot ${bot} is not logged on to Steam: ${detail}.`,
      why: 'Items that it holds can be neither claimed nor returned.',
      remedy: remedyForBotFault(detail),
    };
  return {
    name: 'botPartNotReady',
    what: `The bot's part “${part}” is not ready: ${detail}.`,
    why: 'What it does waits until it is.',
    remedy: 'Read the bot’s log. If it is still starting, run this again in a minute.',
  };
}
