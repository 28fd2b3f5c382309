import { existsSync } from 'node:fs';
import { openSqlite, type Reader } from '#db/database.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { listSelfTests } from '#domain/bot/list-self-tests.ts';
import { countConcerns } from '#domain/custody/list-concerns.ts';
import { minute } from '#domain/kernel/time.ts';
import { listOddAnswers } from '#domain/odd-answer/list-odd-answers.ts';
import { isBotInUse } from '#domain/operator/is-bot-in-use.ts';
import { type ListedBot, listBots } from '#domain/operator/list-bots.ts';
import { countMailTrouble } from '#domain/outbox/count-mail-trouble.ts';
import { damageOf, knownMigrations, migrationsOf } from '../backup/store-facts.ts';
import { examineAnswers } from './examine-answers.ts';
import { examineSelfTests } from './examine-self-tests.ts';
import type { Finding, Times } from './finding.ts';
import { remedyForBotFault } from './remedy-for-bot-fault.ts';

/** Heartbeats come every 15 seconds. A bot without one for this long is reported as stopped. */
const OVERDUE_AFTER_MS = 5 * minute;

/**
 * Examines an SQLite database: whether it is whole and of this build's schema, and the work waiting in it.
 */
export async function examineStore(
  file: string,
  { nowMs, systemMs }: Times,
  configured: readonly string[] | null,
): Promise<Finding[]> {
  if (!existsSync(file)) return [];
  const damage = await damageOf(file);
  if (damage)
    return [
      {
        name: 'databaseDamaged',
        what: `${file}: ${damage}.`,
        why: 'What is stored can no longer be relied on.',
        remedy: 'Stop Keepsake and restore the newest backup: keepsake restore FOLDER',
      },
    ];
  const outdated = examineSchema(await migrationsOf(file), knownMigrations());
  if (outdated.length > 0) return outdated;
  const db = await openSqlite(file);
  try {
    return await examineRows(db.read, { nowMs, systemMs }, configured);
  } finally {
    await db.close();
  }
}

/** Compares how many migrations a database has had with those that this build knows. */
export function examineSchema(had: number, known: number): Finding[] {
  if (had === known) return [];
  return [
    had < known
      ? {
          name: 'migrationPending',
          what: `The database has had ${had} of ${known} migrations.`,
          why: 'Web and bot of this version do not work with it.',
          remedy: 'Run `keepsake migrate`, or start everything with `npm start`.',
        }
      : {
          name: 'schemaNewer',
          what: `The database has had ${had} migrations, and this build knows ${known}.`,
          why: 'An older version may damage what a newer one stored.',
          remedy: 'Install the newer version again, or restore a backup from before the upgrade.',
        },
  ];
}

/**
 * Examines the work waiting in a database of this build's schema. `configured` are the names of the bots in
 * STEAM_BOTS_FILE; null if they are not known.
 */
export async function examineRows(
  q: Reader,
  { nowMs, systemMs }: Times,
  configured: readonly string[] | null,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const stop = await findSendingStop(q);
  if (stop)
    findings.push({
      name: 'sendingStopped',
      what: `No bot has sent an offer since ${new Date(stop.stoppedAtMs).toISOString()}: sending was stopped (${stop.stoppedBy}).`,
      why: 'Claims, returns and deposits wait, and no promise runs out.',
      remedy: 'When what was wrong is over, run `keepsake resume-sending`.',
    });
  findings.push(...(await examineBots(q, systemMs, configured)), ...(await examineMails(q, nowMs)));
  for (const [id, counts] of Object.entries(await countConcerns(q, nowMs))) {
    const { drifts, ...others } = counts;
    if (drifts > 0)
      findings.push({
        name: 'ledgerDrift',
        what: `${drifts} items of the bot ${id} differ from the ledger.`,
        why: 'Nobody is promised or sent them until that is resolved.',
        remedy: 'Run `keepsake custody`, and see docs/custody.md.',
      });
    const stuck = Object.values(others).reduce((sum, each) => sum + each, 0);
    if (stuck > 0)
      findings.push({
        name: 'custodyStuck',
        what: `${stuck} items or transfers of the bot ${id} need you.`,
        why: 'The bot has not mended them within an hour.',
        remedy: 'Run `keepsake custody`, and see docs/custody.md.',
      });
  }
  const tests = await listSelfTests(q);
  for (const botId of new Set(tests.map((test) => test.botId)))
    findings.push(
      ...examineSelfTests(
        botId,
        tests.filter((test) => test.botId === botId),
      ),
    );
  findings.push(...examineAnswers(await listOddAnswers(q), nowMs));
  return findings;
}

/**
 * Finds the bots that are away, of those that matter. The row of one that was renamed or retired stays for
 * its history.
 */
async function examineBots(
  q: Reader,
  systemMs: number,
  configured: readonly string[] | null,
): Promise<Finding[]> {
  return (await listBots(q)).flatMap((bot): Finding[] => {
    if (configured === null || configured.includes(bot.id)) return examineBot(bot, systemMs);
    if (!isBotInUse(bot, configured)) return [];
    const holds = `${bot.items} items and has ${bot.transfers} transfers under way`;
    return [
      {
        name: 'botUnlisted',
        what: `The bot ${bot.id} is not in STEAM_BOTS_FILE, and holds ${holds}.`,
        why: 'Its items can be neither claimed nor returned.',
        remedy: `List it again as ${bot.id} until it holds nothing, as docs/steam-bot-account.md tells.`,
      },
    ];
  });
}

function examineBot({ id, state, fault, heartbeatAtMs }: ListedBot, systemMs: number): Finding[] {
  const findings: Finding[] = [];
  if (state === 'broken')
    findings.push({
      name: 'botBroken',
      what: `The bot ${id} cannot log on: ${fault ?? 'for an unknown reason'}.`,
      why: 'Items that it holds can be neither claimed nor returned.',
      remedy: remedyForBotFault(fault ?? ''),
    });
  if (heartbeatAtMs < systemMs - OVERDUE_AFTER_MS)
    findings.push({
      name: 'botSilent',
      what: `The bot ${id} has given no sign of life for five minutes.`,
      why: 'Its offers are neither sent nor followed.',
      remedy: 'Start the bot process, or read its log.',
    });
  return findings;
}

/** A few addresses that do not exist are no fault of the instance; this share of all mail is. */
const MAX_GIVEN_UP = 0.1;

async function examineMails(q: Reader, nowMs: number): Promise<Finding[]> {
  const { late, givenUp, all, lastError } = await countMailTrouble(q, nowMs);
  const answer = lastError ? ` The last answer: ${lastError}` : '';
  const findings: Finding[] = [];
  if (late > 0)
    findings.push({
      name: 'mailLate',
      what: `${late} mails have been waiting for more than an hour.${answer}`,
      why: 'People wait for links to confirm an address or set a password.',
      remedy: 'Check SMTP_URL and MAIL_FROM, and that the bot runs.',
    });
  if (givenUp > MAX_GIVEN_UP * all)
    findings.push({
      name: 'mailGivenUp',
      what: `${givenUp} of ${all} mails of the last seven days were given up.${answer}`,
      why: 'They will not be sent any more: people have to ask for their links again.',
      remedy:
        'Check SMTP_URL and MAIL_FROM, and whether the mail server may send for that domain (SPF, DKIM).',
    });
  return findings;
}
