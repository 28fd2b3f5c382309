import type { BotDeps, BotPart } from '#bot/deps.ts';
import { endedPromises } from '#bot/metrics.ts';
import { atIntervals, type NextDue, startWorker, type Worker, type WorkerOptions } from '#bot/worker.ts';
import { recordLongRound, untilLongRoundMs } from '#domain/bot/record-long-round.ts';
import { mailChatTroubles } from '#domain/channel/mail-chat-troubles.ts';
import { recordUnconnectedChats } from '#domain/channel/record-unconnected-chats.ts';
import { pruneAnnouncements } from '#domain/chat/take-announcements.ts';
import { alarmOfTransfers } from '#domain/custody/alarm-of-transfers.ts';
import { auditCustody } from '#domain/custody/audit-custody.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { day, dayOf, hour, minute, second } from '#domain/kernel/time.ts';
import { AUDIT } from '#domain/operator/find-last-audit.ts';
import { pruneEvents } from '#domain/outbox/prune-events.ts';
import { prunePushes } from '#domain/push/prune-pushes.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { nextPromiseEndMs } from '#domain/reward/next-promise-end.ts';
import { endDuePauses, nextPauseEndMs } from '#domain/rule/end-due-pauses.ts';
import { finishAllOpenings } from '#domain/rule/finish-all-openings.ts';
import { pruneClosedRules } from '#domain/rule/prune-closed-rules.ts';
import { pruneSeen } from '#domain/twitch-event/seen-messages.ts';
import { pruneDays } from '#domain/watch-time/prune-days.ts';
import { pruneGaps } from '#domain/watch-time/prune-gaps.ts';
import { rollUpChannels } from '#domain/watch-time/roll-up-channels.ts';

const EXPIRE_MS = 5 * second;
const ROLL_UP_MS = minute;
const OPENING_MS = minute;
const PAUSES_MS = 30 * second;
const UNCLEAR_MS = 5 * minute;
const CHAT_TROUBLE_MS = 10 * minute;

type Start = (options: Omit<WorkerOptions, 'log'>) => void;

/** Starts work tied to no platform: expiring promises, pruning old data and daily statistics. */
export function startHousekeeping(deps: BotDeps): BotPart {
  const { db, clock, log, config, changes } = deps;
  const workers: Worker[] = [];
  const start: Start = (options) => workers.push(startWorker({ ...options, log }));
  start({
    name: 'expire',
    everyMs: EXPIRE_MS,
    changes,
    async run() {
      const ended = await expirePromises(db, clock.now(), Date.now());
      endedPromises.inc(ended);
      if (ended > 0) log.info({ ended }, 'promises timed out');
      return nextPromiseEndMs(db.read, clock.now());
    },
  });
  start({ name: 'prune', everyMs: hour, run: atIntervals(hour, () => prune(deps)) });
  start({ name: AUDIT, everyMs: day, run: () => auditDaily(deps) });
  start({
    name: 'roll-up',
    everyMs: ROLL_UP_MS,
    changes,
    run: () => rollUp(deps),
  });
  startRuleWork(deps, start);
  start({
    name: 'unclear-transfers',
    everyMs: UNCLEAR_MS,
    async run() {
      const queued = await alarmOfTransfers(db, config, clock.now());
      if (queued > 0) log.error({ queued }, 'transfers stay unclear; the operator gets mail');
      return null;
    },
  });
  start({
    name: 'chat-trouble',
    everyMs: CHAT_TROUBLE_MS,
    run: () => mailTroubles(deps),
  });
  return {
    report: () => ({}),
    nudge() {
      // The audit is left out, because it reads everything.
      for (const worker of workers) if (worker.name !== AUDIT) worker.nudge();
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

async function rollUp({ db, clock, log }: BotDeps): Promise<NextDue> {
  const channels = await rollUpChannels(db, clock.now());
  if (channels > 0) log.info({ channels }, 'daily statistics stored');
  return dayOf(clock.now()) + day - clock.now();
}

async function mailTroubles({ db, clock, config, log }: BotDeps): Promise<NextDue> {
  const { botLogins: logins } = config.twitch;
  const changed = await recordUnconnectedChats(db, { logins }, clock.now());
  if (changed > 0) log.warn({ channels: changed }, 'whether any chat account is connected has changed');
  const mailed = await mailChatTroubles(db, clock.now());
  if (mailed > 0) log.warn({ mailed }, 'chats take no lines; their streamers get mail');
  return null;
}

/** Finishes what was begun on rules, and ends their owners' pauses. */
function startRuleWork({ db, clock, log, changes }: BotDeps, start: Start): void {
  start({
    name: 'opening',
    everyMs: OPENING_MS,
    changes,
    async run() {
      await finishAllOpenings(db, clock.now());
      return null;
    },
  });
  start({
    name: 'pauses',
    everyMs: PAUSES_MS,
    changes,
    async run() {
      const ended = await endDuePauses(db, clock.now());
      if (ended > 0) log.info({ ended }, 'rules resumed after a pause');
      return nextPauseEndMs(db.read, clock.now());
    },
  });
}

async function prune({ db, clock }: BotDeps): Promise<void> {
  await pruneEvents(db, clock.now());
  await prunePushes(db, clock.now());
  await pruneAccess(db, clock.now(), Date.now());
  await pruneSeen(db, Date.now());
  await pruneAnnouncements(db, clock.now());
  await pruneGaps(db, clock.now());
  await pruneDays(db, clock.now());
  await pruneClosedRules(db, clock.now());
}

/** Once a day, however often the bot is started. */
async function auditDaily(deps: BotDeps): Promise<NextDue> {
  const restMs = await untilLongRoundMs(deps.db, { worker: AUDIT, everyMs: day }, Date.now());
  if (restMs > 0) return restMs;
  await audit(deps);
  await recordLongRound(deps.db, AUDIT, Date.now());
  return day;
}

async function audit({ db, clock, config, log }: BotDeps): Promise<void> {
  const { operatorEmail } = config;
  const { items, drifts, found } = await auditCustody(db, { operatorEmail }, clock.now());
  if (drifts.length > 0) log.error({ items, drifts: drifts.length, found }, 'items differ from the ledger');
}
