import type { BotDeps, BotPart } from '#bot/deps.ts';
import { createMailer } from '#bot/mail/mailer.ts';
import { startWorker, type Worker } from '#bot/worker.ts';
import { sendMails } from '#bot/workers/send-mails.ts';
import { pruneAccess } from '#domain/account/prune-access.ts';
import { hour, minute, second } from '#domain/clock.ts';
import { pruneEvents } from '#domain/outbox/prune-events.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { pruneSeen } from '#domain/twitch-event/prune-seen.ts';
import { rollUpChannels } from '#domain/watch-time/roll-up-channels.ts';

const EXPIRE_MS = 5 * second;
const MAIL_MS = 2 * second;
const ROLL_UP_MS = minute;

/** Starts what belongs to no platform: ends of promises, mail, forgetting what ran out. */
export function startHousekeeping(deps: BotDeps): BotPart {
  const { database, clock, log, config } = deps;
  const workers: Worker[] = [];
  const start = (name: string, everyMs: number, run: (signal: AbortSignal) => Promise<void>) =>
    workers.push(startWorker({ name, everyMs, run, log }));
  start('expire', EXPIRE_MS, async () => {
    const ended = await expirePromises(database, clock.now(), Date.now());
    if (ended > 0) log.info({ ended }, 'promises timed out');
  });
  start('prune', hour, async () => {
    await pruneEvents(database, clock.now());
    await pruneAccess(database, clock.now(), Date.now());
    await pruneSeen(database, Date.now());
  });
  start('roll-up', ROLL_UP_MS, async () => {
    const channels = await rollUpChannels(database, clock.now());
    if (channels > 0) log.info({ channels }, 'the day was written into the history');
  });
  const mailer = createMailer(config);
  if (mailer) start('mail', MAIL_MS, (signal) => sendMails(deps, mailer, signal));
  else log.warn('SMTP_URL is not set: mail waits in the database');
  return {
    report: () => ({ mail: mailer ? { state: 'ready' } : { state: 'off', detail: 'SMTP_URL is not set' } }),
    nudge() {
      for (const worker of workers) worker.nudge();
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      mailer?.close();
    },
  };
}
