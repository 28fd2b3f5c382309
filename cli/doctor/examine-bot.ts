import { z } from 'zod';
import { selfTestDifferences, testedEndpoints, testedOffers } from '#db/schema/self-test.ts';
import { askServer, jsonIn } from './ask.ts';
import { examineSelfTests } from './examine-self-tests.ts';
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
  const unready = Object.entries(read.data.parts)
    .filter(([name, { state, detail }]) => !isKnown(name, detail) && state !== 'ready' && state !== 'off')
    .map(([name, { state, detail }]) => findingOf(name, detail || state));
  return [...unready, ...(await testBots(botUrl, secret))];
}

const selfTests = z.object({
  bots: z.record(
    z.string(),
    z.array(
      z.object({
        endpoint: z.enum(testedEndpoints),
        appId: z.number(),
        offers: z.enum(testedOffers),
        difference: z.enum(selfTestDifferences).nullable(),
        offerId: z.string(),
      }),
    ),
  ),
});

/** A test of several games waits for its turns at Steam. */
const SELF_TEST_DEADLINE_MS = 60_000;

/** Lets the running bots test themselves now. A test without an answer says nothing. */
async function testBots(botUrl: URL, secret: string | null): Promise<Finding[]> {
  const asked: RequestInit = { method: 'POST', ...(secret && { headers: { 'x-bot-secret': secret } }) };
  const answer = await askServer(new URL('/self-tests', botUrl), asked, SELF_TEST_DEADLINE_MS);
  const read = selfTests.safeParse(jsonIn(answer));
  if (!read.success) return [];
  return Object.entries(read.data.bots).flatMap(([botId, tests]) => examineSelfTests(botId, tests));
}

/** Accounts have parts of their own, and this command finds out by itself whether a database answers. */
const isKnown = (part: string, detail: string | undefined): boolean =>
  part === 'steam' || (part === 'database' && detail === undefined);

function findingOf(part: string, detail: string): Finding {
  const bot = /^steam: (.+)$/.exec(part)?.[1];
  if (bot)
    return {
      name: 'steamBotNotReady',
      what: `The bot ${bot} is not logged on to Steam: ${detail}.`,
      why: 'Items that it holds can be neither claimed nor returned.',
      remedy: remedyForBotFault(detail),
    };
  if (part === 'roles')
    return {
      name: 'botRoleVacant',
      what: `Work of the bots is left: ${detail}.`,
      why: 'This work is not done at all until a process does it.',
      remedy: 'Start a bot that has it among its BOT_ROLES, or give it to one that runs.',
    };
  if (part === 'disk')
    return {
      name: 'botDiskFull',
      what: `On the bot’s machine, ${detail}.`,
      why: 'Soon nothing can be stored: no promise, no claim, no watch time.',
      remedy: 'Free space, lower BACKUP_COUNT, or move the data folder or BACKUP_DIR to another disk.',
    };
  if (part === 'database')
    return {
      name: 'botCannotStore',
      what: `The bot cannot use its database: ${detail}.`,
      why: 'Nothing is counted, promised, sent or mailed.',
      remedy: 'Free space on the disk of the database, and read the bot’s log.',
    };
  return {
    name: 'botPartNotReady',
    what: `The bot's part “${part}” is not ready: ${detail}.`,
    why: 'What it does waits until it is.',
    remedy: 'Read the bot’s log. If it is still starting, run this again in a minute.',
  };
}
