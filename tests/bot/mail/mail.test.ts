import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { HELD_MS, type LeasedDeps } from '#bot/leases.ts';
import { createMailer } from '#bot/mail/mailer.ts';
import { writeMail } from '#bot/mail/templates.ts';
import { givenUpMails } from '#bot/metrics.ts';
import { sendMails } from '#bot/workers/send-mails.ts';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { minute } from '#domain/kernel/time.ts';
import { type MailToQueue, queueMail } from '#domain/outbox/queue-mail.ts';
import { openMailbox } from '#sandbox/mail/mailbox.ts';
import { startSmtp } from '#sandbox/mail/start-smtp.ts';
import { heldLease } from '#tests/support/leases.ts';
import { setSteamStage } from '#tests/support/steam-stage.ts';

const verification: MailToQueue = {
  recipient: 'person@example.org',
  locale: 'en',
  template: 'verifyEmail',
  values: { token: 'abc/123' },
};

async function stageWith(port: number, change: (deps: LeasedDeps) => LeasedDeps = (deps) => deps) {
  const stage = await setSteamStage();
  const deps = stage.deps();
  const mail = { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'Keepsake <no-reply@example.org>' };
  const withMail = change({ ...deps, config: { ...deps.config, mail } });
  const mailer = createMailer({ mail, publicUrl: deps.config.publicUrl });
  if (!mailer) throw new Error('no mailer was made');
  onTestFinished(() => mailer.close());
  const signal = new AbortController().signal;
  return {
    stage,
    queue: (letter: MailToQueue) => stage.db.transaction((tx) => queueMail(tx, letter, stage.clock.now())),
    send: () => sendMails(withMail, mailer, signal),
    rows: () => stage.db.read.select().from(mails),
  };
}

async function sink() {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-mail-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const mailbox = await openMailbox(folder);
  const smtp = await startSmtp({ mailbox, now: Date.now, port: 0 });
  onTestFinished(() => smtp.close());
  return { mailbox, port: smtp.port };
}

test('A queued mail is sent once in its recipient’s language, and its token is deleted', async () => {
  const { mailbox, port } = await sink();
  const { queue, send, rows } = await stageWith(port);
  await queue(verification);
  await queue({ ...verification, recipient: 'human@example.org', locale: 'ru' });
  await Promise.all([send(), send()]);
  await send();
  expect(mailbox.list()).toHaveLength(2);
  const [mail] = mailbox.list('person@example.org');
  expect(mail).toMatchObject({ subject: 'Confirm your email address', from: 'no-reply@example.org' });
  expect(mail?.links).toEqual(['http://localhost:3000/email/verify?token=abc%2F123']);
  expect(mailbox.list('human@example.org')[0]?.subject).toBe('Подтвердите адрес электронной почты');
  for (const row of await rows())
    expect(row).toMatchObject({ values: {}, attempts: 1, sentAtMs: expect.any(Number) });
});

test('A mail whose acceptance was not heard is sent again with the same Message-ID', async () => {
  const received: string[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    async onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      received.push(/^Message-ID: (.+)$/im.exec(Buffer.concat(chunks).toString())?.[1] ?? 'none');
      const isAccepted = received.length > 2;
      done(isAccepted ? null : Object.assign(new Error('try again later'), { responseCode: 451 }));
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => smtp.close(resolve)));
  const { stage, queue, send, rows } = await stageWith((smtp.server.address() as { port: number }).port);
  await queue(verification);
  await queue({ ...verification, recipient: 'other@example.org' });
  await send();
  stage.passDays(1 / 24);
  await send();
  const ids = (await rows()).map(({ id }) => `<${id}@localhost>`);
  expect(received.toSorted()).toEqual([...ids, ...ids].toSorted());
});

test('A mail that was accepted is not sent again, though the database was away and the lease is lost', async () => {
  let accepted = 0;
  let failures = 0;
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      accepted += 1;
      stream.on('end', () => done(null)).resume();
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => smtp.close(resolve)));
  const { port } = smtp.server.address() as { port: number };
  const { queue, send, rows } = await stageWith(port, ({ db, ...deps }) => {
    const lost: Database = {
      ...db,
      transaction: (decide, options) =>
        accepted > 0 ? Promise.reject(new Error('lost')) : db.transaction(decide, options),
    };
    const store: Database = {
      ...db,
      transaction: (decide, options) =>
        failures++ === 0 ? Promise.reject(new Error('away')) : db.transaction(decide, options),
    };
    return { ...deps, db: lost, lease: heldLease(store, { leftMs: () => (accepted > 0 ? 0 : HELD_MS) }) };
  });
  await queue(verification);
  await send().catch(() => {});
  expect(await rows()).toMatchObject([{ sentAtMs: expect.any(Number), values: {} }]);
  expect([accepted, failures]).toEqual([1, 2]);
});

test('While the mail server is unreachable, a mail is retried with growing pauses', async () => {
  const { stage, queue, send, rows } = await stageWith(1);
  await queue(verification);
  await send();
  const [first] = await rows();
  expect(first).toMatchObject({ attempts: 1, sentAtMs: null, values: verification.values });
  expect(first?.runAtMs).toBeGreaterThan(stage.clock.now());
  await send();
  expect((await rows())[0]?.attempts).toBe(1);
  stage.passDays(1 / 24);
  const before = (await givenUpMails.get()).values;
  await send();
  expect((await rows())[0]?.runAtMs).toBeGreaterThanOrEqual(stage.clock.now() + 2 * minute - 1000);
  expect((await givenUpMails.get()).values).toEqual(before);
});

test('A permanently refused mail is given up, and its values are deleted', async () => {
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error('no such person'), { responseCode: 550 })),
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => smtp.close(resolve)));
  const { port } = smtp.server.address() as { port: number };
  const { stage, queue, send, rows } = await stageWith(port);
  const counted = async () => (await givenUpMails.get()).values[0]?.value ?? 0;
  const before = await counted();
  await queue(verification);
  await send();
  stage.passDays(30);
  await send();
  expect((await counted()) - before).toBe(1);
  const [row] = await rows();
  expect(row).toMatchObject({ attempts: 1, sentAtMs: null, values: {} });
  expect(row?.lastError).toContain('no such person');
});

test('A mail whose sender died is sent by another process when the lease ends', async () => {
  const { mailbox, port } = await sink();
  const { stage, queue, send, rows } = await stageWith(port);
  await queue(verification);
  const lease = (leaseUntilMs: number) =>
    stage.db.transaction(async (tx) => {
      await tx.update(mails).set({ leaseUntilMs }).where(eq(mails.recipient, verification.recipient));
    });
  await lease(Date.now() + 60_000);
  await send();
  expect(mailbox.list()).toHaveLength(0);
  await lease(Date.now() - 1);
  await send();
  expect(mailbox.list()).toHaveLength(1);
  expect(await rows()).toHaveLength(1);
});

const addresses = {
  publicUrl: new URL('https://keepsake.example'),
  imageUrl: new URL('https://images.example/economy/'),
};

test('The mail about a promise names item, channel, rule and deadline, in both languages', () => {
  const values = {
    name: 'Demo person',
    item: 'Demo Rifle',
    channel: 'Demo channel',
    rule: 'Ten hours',
    claimUntilMs: String(Date.UTC(2026, 1, 3, 4, 5)),
  };
  const mail = { template: 'rewardPromised', values };
  const en = writeMail({ ...mail, locale: 'en' }, addresses);
  expect(en?.subject).toBe('A reward is yours: Demo Rifle');
  expect(en?.text).toContain('Tue, 3 February 2026 at 04:05 UTC');
  expect(en?.text).toContain('https://keepsake.example/rewardProgress');
  const ru = writeMail({ ...mail, locale: 'ru' }, addresses);
  expect(ru?.text).toMatch(/вт, 3 февраля 2026.*04:05 UTC/);
  expect(`${en?.text}${ru?.text}`).not.toContain('/proof/');
  const drawn = { ...mail, values: { ...values, proof: 'demo-rule/7', fingerprint: 'ab'.repeat(32) } };
  for (const locale of ['en', 'ru'] as const) {
    const letter = writeMail({ ...drawn, locale }, addresses);
    expect(letter?.text).toContain('https://keepsake.example/proof/demo-rule/7');
    expect(letter?.text).toContain('ab'.repeat(32));
  }
  expect(writeMail({ ...mail, template: 'unheardOf', locale: 'en' }, addresses)).toBeNull();
});
