import { expect, test } from 'vitest';
import type { Mailer } from '#bot/mail/mailer.ts';
import { sendMails } from '#bot/workers/send-mails.ts';
import { mails } from '#db/schema/outbox.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { endLeases, occupyLeases, underRealLease } from '#tests/support/leases.ts';
import { setSteamStage } from '#tests/support/steam-stage.ts';

/** Two mails that are due, and a process that sends them under a lease. */
async function setMails() {
  const stage = await setSteamStage();
  const { db, clock } = stage;
  for (const recipient of ['person@example.org', 'human@example.org'])
    await db.transaction((tx) =>
      queueMail(
        tx,
        { recipient, locale: 'en', template: 'verifyEmail', values: { token: 'abc/123' } },
        clock.now(),
      ),
    );
  const deps = await underRealLease(stage.deps(), 'mails');
  const sent: string[] = [];
  const mailer = (then = async () => {}): Mailer => ({
    async send(recipient) {
      sent.push(recipient);
      await then();
      return { sent: true };
    },
    close() {},
  });
  const leases = async () => {
    const rows = await db.read.select().from(mails);
    return rows.map(({ sentAtMs, leaseUntilMs }) => (sentAtMs === null ? leaseUntilMs : 'sent')).sort();
  };
  return { db, deps, sent, mailer, leases };
}

test('Mails that a stop leaves need not wait for the end of their leases, also where another process sends by then', async () => {
  const { db, deps, mailer, leases } = await setMails();
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    await endLeases(db, ['mails']);
    await occupyLeases(db, ['mails']);
  };
  await sendMails(deps, mailer(stop), stopping.signal);
  expect(await leases()).toEqual([0, 'sent']);
});

test('A process whose lease is not surely its own leaves its mails to others at once', async () => {
  const { deps, sent, mailer, leases } = await setMails();
  const doubted = { ...deps, lease: { ...deps.lease, isHeld: () => false } };
  await sendMails(doubted, mailer(), new AbortController().signal);
  expect([sent, await leases()]).toEqual([[], [0, 0]]);
});
