import { existsSync } from 'node:fs';
import { and, count, isNull, lt } from 'drizzle-orm';
import { openSqlite, type Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { mails } from '#db/schema/outbox.ts';
import { countConcerns } from '#domain/custody/list-concerns.ts';
import { findSendingStop } from '#domain/operator/find-sending-stop.ts';
import { hour, minute } from '#domain/time.ts';
import { damageOf, knownMigrations, migrationsOf } from '../backup/store-facts.ts';
import type { Finding } from './finding.ts';
import { remedyForBotFault } from './remedy-for-bot-fault.ts';

/** Heartbeats come every 15 seconds. A bot without one for this long is reported as stopped. */
const OVERDUE_AFTER_MS = 5 * minute;

/** Examines an SQLite database: whether it is whole and of this build's schema, and what has been waiting in it. */
export async function examineStore(file: string, nowMs: number, systemMs: number): Promise<Finding[]> {
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
  const database = await openSqlite(file);
  try {
    return await examineRows(database.read, nowMs, systemMs);
  } finally {
    await database.close();
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

/** Examines what has been waiting in a database of this build's schema. */
export async function examineRows(q: Reader, nowMs: number, systemMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const stop = await findSendingStop(q);
  if (stop)
    findings.push({
      name: 'sendingStopped',
      what: `No bot has sent an offer since ${new Date(stop.stoppedAtMs).toISOString()}: sending was stopped (${stop.stoppedBy}).`,
      why: 'Claims, returns and deposits wait, and no promise runs out.',
      remedy: 'When what was wrong is over, run `keepsake resume-sending`.',
    });
  const broken = await q
    .select({ id: bots.id, fault: bots.fault })
    .from(bots)
    .where(is(bots.state, 'broken'));
  for (const { id, fault } of broken)
    findings.push({
      name: 'botBroken',
      what: `The bot ${id} cannot log on: ${fault ?? 'for an unknown reason'}.`,
      why: 'Items that it holds can be neither claimed nor returned.',
      remedy: remedyForBotFault(fault ?? ''),
    });
  const silent = await q
    .select({ id: bots.id })
    .from(bots)
    .where(lt(bots.heartbeatAtMs, systemMs - OVERDUE_AFTER_MS));
  for (const { id } of silent)
    findings.push({
      name: 'botSilent',
      what: `The bot ${id} has given no sign of life for five minutes.`,
      why: 'Its offers are neither sent nor followed.',
      remedy: 'Start the bot process, or read its log.',
    });
  const [late] = await q
    .select({ mails: count() })
    .from(mails)
    .where(and(isNull(mails.sentAtMs), lt(mails.runAtMs, nowMs - hour)));
  if (Number(late?.mails) > 0)
    findings.push({
      name: 'mailLate',
      what: `${late?.mails} mails have been waiting for more than an hour.`,
      why: 'People wait for links to confirm an address or set a password.',
      remedy: 'Check SMTP_URL, and the bot’s log for what the mail server answers.',
    });
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
  return findings;
}
