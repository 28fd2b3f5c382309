import { z } from 'zod';
import { config } from '#app/config.server.ts';
import type { Reader } from '#db/database.ts';
import { countConcerns } from '#domain/custody/list-concerns.ts';
import { countQueues, type Queue } from '#domain/operator/count-queues.ts';
import { countWork, type Work } from '#domain/operator/count-work.ts';
import { findSendingStop } from '#domain/operator/find-sending-stop.ts';
import { isBotInUse } from '#domain/operator/is-bot-in-use.ts';
import { type ListedBot, listBots } from '#domain/operator/list-bots.ts';
import { listDoubtfulSends } from '#domain/operator/list-doubtful-sends.ts';
import { listTrackedChannels } from '#domain/operator/list-tracked-channels.ts';
import { minute } from '#domain/time.ts';
import { MAX_OPEN_OFFERS } from '#domain/transfer/offer-limits.ts';
import { backupLimits, isOverdue } from '#platform/backup-status.ts';
import { type RecentFault, recentFaults } from '#platform/recent-faults.ts';
import { readVersion, type Version } from '#platform/version.ts';
import { askBotState } from './bot-client.server.ts';
import { domainNow } from './clock.server.ts';
import { database } from './database.server.ts';

/** A queue whose oldest entry is this old is slow. */
const SLOW_MS = 15 * minute;
/** A heartbeat comes every 15 seconds. */
const SILENT_MS = minute;
const MAX_FAULTS = 12;

const AttemptSchema = z.object({ atMs: z.number(), problem: z.string().nullable() }).nullable();
const StateSchema = z.object({
  startedAtMs: z.number(),
  parts: z.record(
    z.string(),
    z.object({ state: z.enum(['ready', 'off', 'starting', 'faulty']), detail: z.string().optional() }),
  ),
  backups: z.object({ backup: AttemptSchema, drill: AttemptSchema }).nullable(),
  faults: z.array(
    z.object({
      message: z.string(),
      where: z.string(),
      detail: z.string().nullable(),
      count: z.number(),
      lastAtMs: z.number(),
    }),
  ),
});
type BotProcess = z.output<typeof StateSchema>;

type QueueName = 'claims' | 'returns' | 'deposits' | 'settlements' | 'mails' | 'stripeEvents';
export type NamedQueue = { name: QueueName; waiting: number; ageMs: number | null; slow: boolean };

/** What needs the operator. Each has a text. */
type Need = 'sendingStopped' | 'botProcess' | 'botParts' | 'bots' | 'custody' | 'queues' | 'backup' | 'drill';

/** How a bot is doing: `silent` sent no heartbeat lately, whatever it reported before. */
export type BotRow = Omit<ListedBot, 'heartbeatAtMs' | 'leaseUntilMs'> & {
  silent: boolean;
  heartbeatAgeMs: number | null;
};

const kinds = { claim: 'claims', return: 'returns', deposit: 'deposits' } as const;

function queuesOf(
  work: Work,
  queues: Awaited<ReturnType<typeof countQueues>>,
  times: { nowMs: number; systemMs: number },
): NamedQueue[] {
  const named = (
    name: QueueName,
    { waiting, oldestAtMs }: Pick<Queue, 'waiting' | 'oldestAtMs'>,
    fromMs = times.nowMs,
  ): NamedQueue => {
    const ageMs = oldestAtMs === null ? null : Math.max(0, fromMs - oldestAtMs);
    return { name, waiting, ageMs, slow: ageMs !== null && ageMs > SLOW_MS };
  };
  const queued = Object.entries(kinds).map(([kind, name]) => {
    const found = work.transfers.find((each) => each.kind === kind && each.state === 'queued');
    return named(name, { waiting: found?.count ?? 0, oldestAtMs: found?.oldestAtMs ?? null });
  });
  return [
    ...queued,
    named('settlements', queues.settlements),
    named('mails', queues.mails),
    ...(config().billing ? [named('stripeEvents', queues.stripeEvents, times.systemMs)] : []),
  ];
}

function botRow({ heartbeatAtMs, leaseUntilMs: _, ...bot }: ListedBot, systemMs: number): BotRow {
  const heartbeatAgeMs = heartbeatAtMs === 0 ? null : Math.max(0, systemMs - heartbeatAtMs);
  return { ...bot, heartbeatAgeMs, silent: heartbeatAgeMs === null || heartbeatAgeMs > SILENT_MS };
}

const BOT_PART = 'steam: ';

/** The bots that matter: unless the process tells its accounts, retired ones cannot be told from others and are listed. */
function botRows(listed: readonly ListedBot[], process: BotProcess | null, systemMs: number): BotRow[] {
  const configured =
    process &&
    Object.keys(process.parts).flatMap((name) =>
      name.startsWith(BOT_PART) ? [name.slice(BOT_PART.length)] : [],
    );
  return listed
    .filter((bot) => !configured || isBotInUse(bot, configured, systemMs))
    .map((bot) => botRow(bot, systemMs));
}

const sumOf = (counts: Awaited<ReturnType<typeof countConcerns>>): number =>
  Object.values(counts)
    .flatMap((each) => Object.values(each))
    .reduce((sum, each) => sum + each, 0);

/** Parts of the bot's process besides Steam's accounts, which have rows of their own. */
const faultyParts = ({ parts }: BotProcess) =>
  Object.entries(parts).flatMap(([name, { state, detail }]) =>
    name.startsWith('steam') || state === 'ready' || state === 'off'
      ? []
      : [{ name, detail: detail ?? state }],
  );

type Attempt = NonNullable<BotProcess['backups']>['backup'];
const isBad = (last: Attempt, withinMs: number, systemMs: number) =>
  !last || last.problem !== null || isOverdue(last.atMs, withinMs, systemMs);

async function readStored(q: Reader, times: { nowMs: number; systemMs: number }) {
  const { nowMs } = times;
  const queues = queuesOf(await countWork(q, nowMs), await countQueues(q, nowMs), times);
  return {
    stop: await findSendingStop(q),
    doubtful: await listDoubtfulSends(q),
    bots: await listBots(q),
    channels: await listTrackedChannels(q, nowMs),
    custody: sumOf(await countConcerns(q, nowMs)),
    queues,
  };
}

function needsOf(
  { stop, bots, custody, queues }: Omit<Awaited<ReturnType<typeof readStored>>, 'bots'> & { bots: BotRow[] },
  bot: BotProcess | null,
  systemMs: number,
): Need[] {
  const backups = bot?.backups;
  const needs: Record<Need, boolean> = {
    sendingStopped: stop !== null,
    botProcess: bot === null,
    botParts: bot !== null && faultyParts(bot).length > 0,
    // Without the process all of them are away, which is said already.
    bots: bot !== null && bots.some(({ state, silent }) => state !== 'ready' || silent),
    custody: custody > 0,
    // While sending is stopped, transfers wait because the operator said so.
    queues: queues.some(({ slow, name }) => slow && (!stop || name === 'mails' || name === 'stripeEvents')),
    backup: backups != null && isBad(backups.backup, backupLimits.backupMs, systemMs),
    drill: backups?.backup != null && isBad(backups.drill, backupLimits.drillMs, systemMs),
  };
  return (Object.keys(needs) as Need[]).filter((need) => needs[need]);
}

/** The newest warnings and errors of the bot and of this web process. */
const newestFaults = (bot: BotProcess | null): RecentFault[] =>
  [...(bot?.faults ?? []), ...recentFaults.list()]
    .sort((a, b) => b.lastAtMs - a.lastAtMs)
    .slice(0, MAX_FAULTS);

let version: Version | null = null;

/** Reads the state of the instance: what is stored, and what the bot's process says of itself if it answers. */
export async function readOperatorState() {
  const { read } = await database();
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const [answer, stored] = await Promise.all([askBotState(), readStored(read, times)]);
  const parsed = answer.ok ? StateSchema.safeParse(answer.body) : null;
  const bot = parsed?.success ? parsed.data : null;
  version ??= readVersion();
  const bots = botRows(stored.bots, bot, times.systemMs);
  return {
    ...stored,
    bots,
    readAtMs: times.nowMs,
    maxOpenOffers: MAX_OPEN_OFFERS,
    botProcess: bot && { startedAtMs: bot.startedAtMs, faultyParts: faultyParts(bot) },
    backups: bot?.backups ?? null,
    needs: needsOf({ ...stored, bots }, bot, times.systemMs),
    faults: newestFaults(bot),
    version,
    database: config().databaseUrl === null ? ('SQLite' as const) : ('PostgreSQL' as const),
    startedAtMs: times.systemMs - Math.round(process.uptime() * 1000),
  };
}

export type OperatorState = Awaited<ReturnType<typeof readOperatorState>>;
