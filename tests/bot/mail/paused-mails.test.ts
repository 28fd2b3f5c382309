// A process is paused while it sends a mail. Another one takes the mails over meanwhile. The paused one goes on with its call
// as if nothing had happened, which is worse than a pause.
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import type { LeasedDeps } from '#bot/leases.ts';
import { createMailer } from '#bot/mail/mailer.ts';
import { sendMails } from '#bot/workers/send-mails.ts';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { hour, second } from '#domain/kernel/time.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { holdOnce } from '#tests/support/held-once.ts';
import { endAllLeases, underRealLease } from '#tests/support/leases.ts';
import { skippableTime } from '#tests/support/passing-time.ts';
import { setSteamStage } from '#tests/support/steam-stage.ts';

const verification = {
  recipient: 'person@example.org',
  locale: 'en',
  template: 'verifyEmail',
  values: { token: 'abc/123' },
} as const;

/** A mail server that asks before each recipient and each acceptance, and notes the Message-ID of what it accepted. */
async function startServer() {
  const at = { recipient: async () => {}, acceptance: async () => {} };
  const accepted: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: (_address, _session, done) => void at.recipient().then(() => done()),
    async onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of stream) chunks.push(chunk as Buffer);
      } catch (error) {
        // The client closed its connection before the end of the mail.
        return done(error as Error);
      }
      accepted.push(/^Message-ID: (.+)$/im.exec(Buffer.concat(chunks).toString())?.[1] ?? 'none');
      await at.acceptance();
      done();
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  return { at, accepted, port: (server.server.address() as { port: number }).port };
}

/** A mail that is due, and processes that send it, each with a lease of its own. */
async function setMail() {
  const stage = await setSteamStage();
  const server = await startServer();
  const time = skippableTime();
  await stage.db.transaction((tx) => queueMail(tx, verification, stage.clock.now()));
  /** Takes the mails over, and sends what is due. `change` changes the database by which it leases and renews. */
  async function startProcess(change: (db: Database) => Database = (db) => db) {
    await endAllLeases(stage.db);
    const deps = stage.deps();
    const mail = { smtpUrl: `smtp://127.0.0.1:${server.port}`, from: 'Keepsake <no-reply@example.org>' };
    const leased = await underRealLease({ ...deps, config: { ...deps.config, mail } }, 'mails');
    const changed: LeasedDeps = { ...leased, db: change(leased.db) };
    const mailer = createMailer({ mail, publicUrl: deps.config.publicUrl });
    if (!mailer) throw new Error('no mailer was made');
    onTestFinished(() => mailer.close());
    // A lost lease ends a round.
    return () => sendMails(changed, mailer, new AbortController().signal).catch(() => {});
  }
  const row = async () => (await stage.db.read.select().from(mails))[0];
  return {
    ...server,
    time,
    startProcess,
    row,
    /** Sends until the mail is through, as often as it is due again. */
    async finish(send: () => Promise<void>) {
      for (let round = 0; round < 3 && (await row())?.sentAtMs === null; round++) {
        await send();
        stage.passDays(1 / 24);
        time.skip(hour);
      }
      return row();
    },
  };
}

const pauses = [5, 45, 90, 110, 200, 600] as const;

test.each(pauses)('A mail whose turn comes after a pause of %d s is sent once', async (pauseS) => {
  const { time, accepted, startProcess, finish } = await setMail();
  const renewal = holdOnce();
  let transactions = 0;
  const send = await startProcess((db) => ({
    ...db,
    // The mail is leased by the first one, and renewed by the second.
    transaction: async (decide, options) => {
      if (++transactions === 2) await renewal.wait();
      return db.transaction(decide, options);
    },
  }));
  const sending = send();
  await renewal.isReached;
  time.skip(pauseS * second);
  const other = pauseS > 15 ? await startProcess() : send;
  if (other !== send) await other();
  renewal.release();
  await sending;
  expect(await finish(other)).toMatchObject({ sentAtMs: expect.any(Number) });
  expect(accepted).toHaveLength(1);
});

test.each(pauses)(
  'A mail that is paused for %d s before its server takes it is sent once',
  async (pauseS) => {
    const { at, time, accepted, startProcess, finish, row } = await setMail();
    const recipient = holdOnce();
    at.recipient = recipient.wait;
    const send = await startProcess();
    const sending = send();
    await recipient.isReached;
    time.skip(pauseS * second);
    const other = pauseS > 15 ? await startProcess() : send;
    if (other !== send) await other();
    recipient.release();
    await sending;
    expect(await finish(other)).toMatchObject({ sentAtMs: expect.any(Number) });
    expect(accepted).toEqual([`<${(await row())?.id}@localhost>`]);
  },
);

test('A server that needs 85 s before it takes a mail gets it, and at once', async () => {
  const { at, time, accepted, startProcess, row } = await setMail();
  // As many steps of eight to nine seconds as a mail has.
  at.recipient = async () => time.skip(85 * second);
  await (await startProcess())();
  expect(await row()).toMatchObject({ sentAtMs: expect.any(Number), attempts: 1 });
  expect(accepted).toHaveLength(1);
});

test('What is kept of a mail that was withheld says that its server was too slow', async () => {
  const { at, time, accepted, startProcess, row } = await setMail();
  at.recipient = async () => time.skip(101 * second);
  await (await startProcess())();
  expect(await row()).toMatchObject({
    sentAtMs: null,
    attempts: 1,
    lastError: expect.stringContaining('its server was too slow'),
  });
  expect(accepted).toEqual([]);
});

test.each(pauses)('A mail whose acceptance is heard after %d s has one Message-ID', async (pauseS) => {
  const { at, time, accepted, startProcess, finish, row } = await setMail();
  const acceptance = holdOnce();
  at.acceptance = acceptance.wait;
  const send = await startProcess();
  const sending = send();
  await acceptance.isReached;
  time.skip(pauseS * second);
  const other = pauseS > 15 ? await startProcess() : send;
  if (other !== send) await other();
  acceptance.release();
  await sending;
  expect(await finish(other)).toMatchObject({ sentAtMs: expect.any(Number) });
  // Nobody knows of an acceptance that was not heard for longer than a mail's lease.
  expect(accepted).toHaveLength(pauseS > 120 ? 2 : 1);
  expect(new Set(accepted)).toEqual(new Set([`<${(await row())?.id}@localhost>`]));
});
