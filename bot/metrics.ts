import { Counter, Gauge, Histogram } from 'prom-client';
import { fewestPoints } from '#bot/twitch/pace/points-left.ts';
import type { Reader } from '#db/database.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { countConcerns } from '#domain/custody/list-concerns.ts';
import { countMails } from '#domain/operator/count-mails.ts';
import { countWork } from '#domain/operator/count-work.ts';
import { processRegistry } from '#platform/process-metrics.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** The bot's measurements, as `/metrics` shows them. Durations are in seconds, as Prometheus recommends. */
export const registry = processRegistry();
const registers = [registry];

/** Work that takes longer than its usual second. */
const roundBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60];
const waitBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

export const workerRounds = new Histogram({
  name: 'keepsake_worker_round_seconds',
  help: 'How long a round of a worker took',
  labelNames: ['worker', 'outcome'] as const,
  buckets: roundBuckets,
  registers,
});
/** A chat is read once a minute; longer intervals come before those that do not count. */
export const watchIntervals = new Histogram({
  name: 'keepsake_watch_interval_seconds',
  help: 'Time between two readings of the chat of a live channel',
  buckets: [45, 60, 75, 90, 120, 150, 300],
  registers,
});
export const watchGaps = new Counter({
  name: 'keepsake_watch_gaps_total',
  help: 'Intervals of watch time that did not count, by reason',
  labelNames: ['reason'] as const,
  registers,
});
export const steamErrors = new Counter({
  name: 'keepsake_steam_errors_total',
  help: 'Calls to Steam and log-ons that failed, by code',
  labelNames: ['code'] as const,
  registers,
});
export const endedPromises = new Counter({
  name: 'keepsake_promises_timed_out_total',
  help: 'Promised rewards whose time to claim has ended unused',
  registers,
});
/**
 * Counted here, because a count in the database would fall when the oldest are deleted, and hide as many new
 * ones.
 */
export const givenUpMails = new Counter({
  name: 'keepsake_mails_given_up_total',
  help: 'Mails that will not be sent any more',
  registers,
});
export const pushResults = new Counter({
  name: 'keepsake_pushes_total',
  help: 'Attempts to send a notice to a device, by what became of them',
  labelNames: ['result'] as const,
  registers,
});
export const twitchErrors = new Counter({
  name: 'keepsake_twitch_errors_total',
  help: 'Calls to Twitch that failed, by code',
  labelNames: ['code'] as const,
  registers,
});
export const twitchPoints = new Gauge({
  name: 'keepsake_twitch_points_remaining',
  help: 'Points left in the bucket of the application, and of the account that has fewest',
  labelNames: ['token'] as const,
  registers,
  collect() {
    for (const [token, owner] of [
      ['application', 'application'],
      ['lowestAccount', 'account'],
    ] as const) {
      const left = fewestPoints(owner, steadyMs());
      if (left !== null) this.set({ token }, left);
    }
  },
});
export const serverErrors = new Counter({
  name: 'keepsake_server_errors_total',
  help: 'Answers with a status of 500 or above, by status',
  labelNames: ['status'] as const,
  registers,
});
// An increase is seen only from a value on.
serverErrors.inc({ status: 500 }, 0);
export const databaseWaits = new Histogram({
  name: 'keepsake_database_wait_seconds',
  help: 'How long a transaction waited until it began',
  buckets: waitBuckets,
  registers,
});

const transfersByState = new Gauge({
  name: 'keepsake_transfers',
  help: 'Transfers under way, by kind and state',
  labelNames: ['kind', 'state'] as const,
  registers,
});
const oldestTransfer = new Gauge({
  name: 'keepsake_transfers_oldest_seconds',
  help: 'The age of the oldest transfer under way, by kind and state',
  labelNames: ['kind', 'state'] as const,
  registers,
});
const custody = new Gauge({
  name: 'keepsake_custody_concerns',
  help: 'What custody needs the operator for, by bot and concern',
  labelNames: ['bot', 'concern'] as const,
  registers,
});
const expiringPromises = new Gauge({
  name: 'keepsake_promises_expiring',
  help: 'Promised rewards whose time to claim ends within the hour',
  registers,
});
const freeRewards = new Gauge({
  name: 'keepsake_rewards_free',
  help: 'Rewards of all rules that are promised to nobody',
  registers,
});
const waitingMails = new Gauge({
  name: 'keepsake_mails_waiting',
  help: 'Mails that are due and not sent yet',
  registers,
});
const oldestMail = new Gauge({
  name: 'keepsake_mails_oldest_seconds',
  help: 'For how long the oldest mail has been due',
  registers,
});

const sendingStopped = new Gauge({
  name: 'keepsake_sending_stopped_seconds',
  help: 'For how long the operator has let no bot send an offer; 0 while bots may send',
  registers,
});

/** Reads the database and returns all measurements in Prometheus' text format. */
export async function readMetrics(q: Reader, nowMs: number): Promise<string> {
  const [work, concerns] = [await countWork(q, nowMs), await countConcerns(q, nowMs)];
  const mails = await countMails(q, nowMs);
  const stop = await findSendingStop(q);
  const ageOf = (sinceMs: number | null) => (sinceMs === null ? 0 : Math.max(0, (nowMs - sinceMs) / 1000));
  for (const gauge of [transfersByState, oldestTransfer, custody]) gauge.reset();
  for (const { kind, state, count, oldestAtMs } of work.transfers) {
    transfersByState.set({ kind, state }, count);
    oldestTransfer.set({ kind, state }, ageOf(oldestAtMs));
  }
  for (const [bot, counts] of Object.entries(concerns))
    for (const [concern, count] of Object.entries(counts)) custody.set({ bot, concern }, count);
  expiringPromises.set(work.expiringPromises);
  freeRewards.set(work.freeRewards);
  waitingMails.set(mails.waiting);
  oldestMail.set(ageOf(mails.oldestAtMs));
  sendingStopped.set(stop ? Math.max(1, ageOf(stop.stoppedAtMs)) : 0);
  return registry.metrics();
}
