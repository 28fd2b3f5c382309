import { config } from '#app/config.server.ts';
import {
  askBotProcess,
  type BackupAttempt,
  type BotProcess,
  configuredBots,
  faultyParts,
} from '#app/routes/operator/bot-process.server.ts';
import { readCustody } from '#app/routes/operator/operator-custody.server.ts';
import { isAnySlow, namedQueues } from '#app/routes/operator/operator-queues.server.ts';
import { newestAnnounced } from '#app/services/announce.server.ts';
import { findBotAway } from '#app/services/bot-away.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Reader } from '#db/database.ts';
import { countMigrations } from '#db/engine/count-migrations.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { listSelfTests } from '#domain/bot/list-self-tests.ts';
import { listWork } from '#domain/bot/list-work.ts';
import { minute } from '#domain/kernel/time.ts';
import { listOddAnswers } from '#domain/odd-answer/list-odd-answers.ts';
import { countQueues } from '#domain/operator/count-queues.ts';
import { findLastAudit } from '#domain/operator/find-last-audit.ts';
import { isBotInUse } from '#domain/operator/is-bot-in-use.ts';
import { type ListedBot, listBots } from '#domain/operator/list-bots.ts';
import { listDoubtfulSends } from '#domain/operator/list-doubtful-sends.ts';
import { listTrackedChannels } from '#domain/operator/list-tracked-channels.ts';
import { MAX_OPEN_OFFERS } from '#domain/transfer/offer-limits.ts';
import { backupLimits, isOverdue } from '#platform/backup-status.ts';
import { type RecentFault, recentFaults } from '#platform/recent-faults.ts';
import { readVersion } from '#platform/version.ts';

/** A heartbeat comes every 15 seconds. */
const SILENT_MS = minute;
const MAX_FAULTS = 12;

/** The matters that need the operator. Each has a text. */
type Need =
  | 'sendingStopped'
  | 'botProcess'
  | 'botParts'
  | 'bots'
  | 'custody'
  | 'selfTests'
  | 'queues'
  | 'noBackup'
  | 'backup'
  | 'drill';

/**
 * A bot's state; `silent` if it sent no heartbeat lately, whatever it reported before, and `unknown` while its
 * process does not answer.
 */
export type BotRow = Omit<ListedBot, 'heartbeatAtMs' | 'isUsed'> & {
  silent: boolean;
  unknown: boolean;
  heartbeatAgeMs: number | null;
};

function botRow({ heartbeatAtMs, isUsed: _, ...bot }: ListedBot, unknown: boolean, systemMs: number): BotRow {
  const heartbeatAgeMs = heartbeatAtMs === 0 ? null : Math.max(0, systemMs - heartbeatAtMs);
  const silent = heartbeatAgeMs === null || heartbeatAgeMs > SILENT_MS;
  return { ...bot, heartbeatAgeMs, silent, unknown };
}

/**
 * Lists the bots that matter. Unless the process reports its accounts, retired ones cannot be distinguished
 * from others and are listed.
 */
function botRows(listed: readonly ListedBot[], process: BotProcess | null, systemMs: number): BotRow[] {
  const configured = process && configuredBots(process);
  return listed
    .filter((bot) => !configured || isBotInUse(bot, configured))
    .map((bot) => botRow(bot, process === null, systemMs));
}

const isBad = (last: BackupAttempt, withinMs: number, systemMs: number) =>
  !last || last.problem !== null || isOverdue(last.atMs, withinMs, systemMs);

async function readStored(q: Reader, times: { nowMs: number; systemMs: number }) {
  const { nowMs } = times;
  return {
    stop: await findSendingStop(q),
    doubtful: await listDoubtfulSends(q),
    bots: await listBots(q),
    channels: await listTrackedChannels(q, nowMs),
    custody: await readCustody(q, nowMs),
    queues: namedQueues(await countQueues(q, nowMs), times),
    audit: await findLastAudit(q),
    schema: await countMigrations(q, newestAnnounced()),
    oddAnswers: await listOddAnswers(q),
    selfTests: await listSelfTests(q),
    work: await listWork(q),
  };
}

type Stored = Omit<Awaited<ReturnType<typeof readStored>>, 'bots' | 'audit'> & { bots: BotRow[] };

function needsOf(
  { stop, bots, custody, queues, selfTests }: Stored,
  bot: BotProcess | null,
  systemMs: number,
): Need[] {
  const backups = bot?.backups;
  const needs: Record<Need, boolean> = {
    sendingStopped: stop !== null,
    botProcess: bot === null,
    botParts: bot !== null && faultyParts(bot).length > 0,
    // Without the process all bots are away, which has a message of its own.
    bots:
      bot !== null &&
      bots.some((each) => each.state !== 'ready' || each.silent || each.restrictedUntilMs !== null),
    custody: custody.length > 0,
    selfTests: selfTests.some(({ difference }) => difference !== null),
    queues: isAnySlow(queues, stop !== null),
    noBackup: backups != null && backups.backup === null,
    backup: backups?.backup != null && isBad(backups.backup, backupLimits.backupMs, systemMs),
    drill: backups?.backup != null && isBad(backups.drill, backupLimits.drillMs, systemMs),
  };
  return (Object.keys(needs) as Need[]).filter((need) => needs[need]);
}

/** The newest warnings and errors of the bot and of this web process. */
const newestFaults = (bot: BotProcess | null): RecentFault[] =>
  [...(bot?.faults ?? []), ...recentFaults.list()]
    .sort((a, b) => b.lastAtMs - a.lastAtMs)
    .slice(0, MAX_FAULTS);

/** Read as the process starts: later its files may be those of a newer version already. */
const version = readVersion();

/**
 * Reads the state of the instance: the stored data, and the bot process's report about itself if it answers.
 */
export async function readOperatorState() {
  const { read } = await database();
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const [bot, found] = await Promise.all([askBotProcess(), readStored(read, times)]);
  const { audit, ...stored } = { ...found, bots: botRows(found.bots, bot, times.systemMs) };
  return {
    ...stored,
    ledger: { audit, items: found.bots.reduce((sum, { items }) => sum + items, 0) },
    readAtMs: times.nowMs,
    maxOpenOffers: MAX_OPEN_OFFERS,
    // It may answer already, before the supervisor has noticed.
    botAway: bot ? null : findBotAway(),
    botProcess: bot && { startedAtMs: bot.startedAtMs, faultyParts: faultyParts(bot) },
    backups: bot?.backups ?? null,
    needs: needsOf(stored, bot, times.systemMs),
    faults: newestFaults(bot),
    version,
    database: config().databaseUrl === null ? ('SQLite' as const) : ('PostgreSQL' as const),
    startedAtMs: times.systemMs - Math.round(process.uptime() * 1000),
  };
}

export type OperatorState = Awaited<ReturnType<typeof readOperatorState>>;
