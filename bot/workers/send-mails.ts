import type { LeasedDeps } from '#bot/leases.ts';
import type { Mailer } from '#bot/mail/mailer.ts';
import { writeMail } from '#bot/mail/templates.ts';
import { givenUpMails } from '#bot/metrics.ts';
import { deferMail } from '#domain/outbox/defer-mail.ts';
import { leaseMails, renewMail } from '#domain/outbox/lease-mails.ts';
import { type MailResult, reportMail } from '#domain/outbox/report-mail.ts';
import { prepareMail } from '#domain/view/prepare-mail.ts';

/** Few enough that all are sent well before their lease ends. */
const MAX_AT_ONCE = 5;

/** Sends mails that are due. A permanent refusal gives a mail up; other failures are retried later. */
export async function sendMails(
  { db, clock, log, config, lease }: LeasedDeps,
  mailer: Mailer,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const leased = await leaseMails(db, MAX_AT_ONCE, clock.now(), Date.now());
    if (leased.length === 0) return;
    for (const each of leased) {
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
      if (!lease.isHeld()) return;
      const written = writeMail({ ...mail, values: prepared.values }, config);
      const result: MailResult = written
        ? await mailer.send(mail.recipient, written, mail.id)
        : { sent: false, error: `unknown template ${mail.template}`, permanent: true };
      const { givenUp } = await reportMail(db, mail, result, clock.now());
      if (givenUp) givenUpMails.inc();
      const facts = { mail: mail.id, template: mail.template, attempt: mail.attempts + 1 };
      if (result.sent) log.info(facts, 'mail sent');
      else log.warn({ ...facts, error: result.error, permanent: result.permanent, givenUp }, 'mail not sent');
    }
  }
}
