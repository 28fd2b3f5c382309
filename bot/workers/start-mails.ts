import type { BotPart } from '#bot/deps.ts';
import type { LeasedDeps } from '#bot/leases.ts';
import { createMailer } from '#bot/mail/mailer.ts';
import { startWorker } from '#bot/worker.ts';
import { sendMails } from '#bot/workers/send-mails.ts';
import { second } from '#domain/kernel/time.ts';
import { nextMailDueMs } from '#domain/outbox/next-mail-due.ts';

const MAIL_MS = 2 * second;

/** Starts sending mail. Without a mail server it waits in the database. */
export function startMails(deps: LeasedDeps): BotPart {
  const { db, clock, log, config, changes } = deps;
  const mailer = createMailer(config);
  if (!mailer) {
    log.warn('SMTP_URL is not set: mail waits in the database');
    return {
      report: () => ({ mail: { state: 'off', detail: 'SMTP_URL is not set' } }),
      nudge() {},
      async stop() {},
    };
  }
  const worker = startWorker({
    name: 'mail',
    everyMs: MAIL_MS,
    changes,
    log,
    async run(signal) {
      await sendMails(deps, mailer, signal);
      return nextMailDueMs(db.read, clock.now(), Date.now());
    },
  });
  return {
    report: () => ({ mail: { state: 'ready' } }),
    nudge: () => worker.nudge(),
    async stop() {
      await worker.stop();
      mailer.close();
    },
  };
}
