import { z } from 'zod';
import { askServer, jsonIn } from './ask.ts';
import type { Finding } from './finding.ts';
import { remedyForBotFault } from './remedy-for-bot-fault.ts';

const readiness = z.object({
  parts: z.record(z.string(), z.object({ state: z.string(), detail: z.string().optional() })),
});

/** The bot's refusal of calls under a name that is not its own. */
const foreign = z.object({ code: z.literal('foreign') });

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
        remedy:
          'Give web, bot and this command the same BOT_SECRET, or the same data folder, and restart web and bot.',
      },
    ];
  if (answer.status === 403)
    return [
      foreign.safeParse(jsonIn(answer)).success
        ? {
            name: 'botNameRefused',
            what: `The bot does not answer to the name ${botUrl.hostname} in BOT_URL. Its secret was not looked at.`,
            why: 'The web process is refused as well if it has this BOT_URL: it cannot read inventories, and changes reach the bot seconds later.',
            remedy: `Start the bot with the same BOT_URL (${botUrl.origin}), or set BOT_URL everywhere to a name that the bot has: its HOST, localhost, or its address in numbers.`,
          }
        : {
            name: 'botUnreachable',
            what: `What answers at ${botUrl.origin} is not the bot (status 403).`,
            why: 'Nothing is counted, sent or mailed if no bot runs, and the web process does not reach one that does.',
            remedy: 'Check BOT_URL and BOT_PORT, and that no proxy stands before the bot.',
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
