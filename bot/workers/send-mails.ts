import { setTimeout as delay } from 'node:timers/promises';
import type { BotDeps } from '#bot/deps.ts';
import { countDown, type LeasedDeps } from '#bot/leases.ts';
import type { Mailer } from '#bot/mail/mailer.ts';
import { writeMail } from '#bot/mail/templates.ts';
import { givenUpMails } from '#bot/metrics.ts';
import { second } from '#domain/kernel/time.ts';
import { deferMail } from '#domain/outbox/defer-mail.ts';
import { type LeasedMail, leaseMails, MAIL_LEASE_MS, renewMail } from '#domain/outbox/lease-mails.ts';
import { type MailResult, reportMail } from '#domain/outbox/report-mail.ts';
import { prepareMail } from '#domain/view/prepare-mail.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Few enough that all are sent well before their lease ends. */
const MAX_AT_ONCE = 5;

/** Shorter than a mail's lease: after that another process may send it. */
const REPORT_WITHIN_MS = MAIL_LEASE_MS / 2;
/**
 * A mail that its server is not ready to take within this time is withheld and tried anew. The rest of its lease is for
 * the server's last answer, which the mailer awaits for less, and for the report.
 */
const TAKEN_WITHIN_MS = MAIL_LEASE_MS - 20 * second;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5 * second;

/**
 * Repeats a report while the database is away, because a mail whose report is lost is sent again. Throws the last error
 * after a minute, or when the process stops. The report needs no lease but the mail's own.
 */
async function untilReported<T>(
  report: () => Promise<T>,
  log: BotDeps['log'],
  signal: AbortSignal,
): Promise<T> {
  const sinceMs = steadyMs();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await report();
    } catch (err) {
      if (signal.aborted || steadyMs() - sinceMs + pauseMs > REPORT_WITHIN_MS) throw err;
      log.error({ err, pauseMs }, 'what became of a mail could not be stored; it is written again');
    }
    // The end of the process ends the pause.
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
}

/** Ends the leases of mails that this process does not send any more, so that the next one need not wait for their end. */
async function putBack(store: BotDeps['db'], left: readonly LeasedMail[]): Promise<void> {
  for (const mail of left) await deferMail(store, mail, mail.runAtMs);
}

/** Sends mails that are due. A permanent refusal gives a mail up; other failures are retried later. */
export async function sendMails(
  { db, clock, log, config, lease }: LeasedDeps,
  mailer: Mailer,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const leased = await leaseMails(db, MAX_AT_ONCE, clock.now(), Date.now());
    if (leased.length === 0) return;
    for (const [place, each] of leased.entries()) {
      if (signal.aborted) return putBack(lease.store, leased.slice(place));
      const leftMs = countDown(TAKEN_WITHIN_MS);
      const mail = await renewMail(db, each, Date.now());
      if (!mail) {
        log.warn({ mail: each.id }, 'lost the lease of a mail before it was sent');
        continue;
      }
      const prepared = await prepareMail(db.read, mail, clock.now(), Date.now());
      if (!prepared.due) {
        const dueAtMs = prepared.reason === 'later' ? prepared.dueAtMs : null;
        await deferMail(db, mail, dueAtMs);
        log.info(
          { mail: mail.id, template: mail.template, reason: prepared.reason },
          'mail put off or dropped',
        );
        continue;
      }
      // Another process may send the rest by now.
      if (!lease.isHeld()) return putBack(lease.store, [mail, ...leased.slice(place + 1)]);
      const written = writeMail({ ...mail, values: prepared.values }, config);
      const result: MailResult = written
        ? await mailer.send(mail.recipient, written, mail.id, () => leftMs() > 0)
        : { sent: false, error: `unknown template ${mail.template}`, permanent: true };
      const report = () => reportMail(lease.store, mail, result, clock.now());
      const { givenUp } = await untilReported(report, log, signal);
      if (givenUp) givenUpMails.inc();
      const facts = { mail: mail.id, template: mail.template, attempt: mail.attempts + 1 };
      if (result.sent) log.info(facts, 'mail sent');
      else log.warn({ ...facts, error: result.error, permanent: result.permanent, givenUp }, 'mail not sent');
    }
  }
}
