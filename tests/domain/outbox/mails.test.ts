import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { countMails } from '#domain/operator/count-mails.ts';
import { countMailTrouble } from '#domain/outbox/count-mail-trouble.ts';
import { deferMail } from '#domain/outbox/defer-mail.ts';
import { leaseMails, renewMail } from '#domain/outbox/lease-mails.ts';
import { nextMailDueMs } from '#domain/outbox/next-mail-due.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { reportMail } from '#domain/outbox/report-mail.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

const SYSTEM_MS = Date.UTC(2030, 0, 1);
const LEASE_MS = 2 * minute;

const queue = (name: string, nowMs = START_MS) =>
  db.transaction((tx) =>
    queueMail(
      tx,
      {
        recipient: `${name}@example.org`,
        locale: 'en',
        template: 'verifyEmail',
        values: { token: 'secret' },
      },
      nowMs,
    ),
  );
const lease = (nowMs = START_MS, systemMs = SYSTEM_MS, limit = 10) => leaseMails(db, limit, nowMs, systemMs);
const namesOf = (leased: { recipient: string }[]) => leased.map(({ recipient }) => recipient.split('@')[0]);
const due = (nowMs = START_MS, systemMs = SYSTEM_MS) => nextMailDueMs(db.read, nowMs, systemMs);
const failed = { sent: false, error: 'busy', permanent: false } as const;
async function only() {
  const [mail] = await db.read.select().from(mails);
  if (!mail) throw new Error('no mail is queued');
  return mail;
}

test('Mails are sent in their order, each by one process at a time', async () => {
  await queue('second', START_MS + 1);
  await queue('first');
  await queue('later', START_MS + minute);
  expect(namesOf(await lease(START_MS + 1, SYSTEM_MS, 1))).toEqual(['first']);
  expect(namesOf(await lease(START_MS + 1))).toEqual(['second']);
  expect(await lease(START_MS + 1)).toEqual([]);
  expect(await lease(START_MS + 1, SYSTEM_MS + LEASE_MS - 1)).toEqual([]);
  expect(namesOf(await lease(START_MS + 1, SYSTEM_MS + LEASE_MS))).toEqual(['first', 'second']);
  expect(namesOf(await lease(START_MS + minute, SYSTEM_MS + LEASE_MS))).toEqual(['later']);
});

test('A process that was stopped for longer than its lease sends no mail that another one has leased since', async () => {
  await queue('first');
  await queue('second', START_MS + 1);
  const [first, second] = await lease(START_MS + 1);
  const afterMs = SYSTEM_MS + LEASE_MS;
  const renewed = await renewMail(db, first!, afterMs - 1);
  expect(renewed).toMatchObject({ id: first!.id, leaseUntilMs: afterMs - 1 + LEASE_MS });
  expect(namesOf(await lease(START_MS + 1, afterMs))).toEqual(['second']);
  expect(await renewMail(db, second!, afterMs + 1)).toBeNull();
  // The lease that was renewed meanwhile is another one.
  expect(await renewMail(db, first!, afterMs)).toBeNull();
  expect(await renewMail(db, renewed!, afterMs)).not.toBeNull();
});

test('A failure under a lost lease changes nothing, but a mail that was sent is sent', async () => {
  await queue('mira');
  const [mail] = await lease();
  const [again] = await lease(START_MS, SYSTEM_MS + LEASE_MS);
  const givenUp = await reportMail(db, mail!, { ...failed, permanent: true }, START_MS);
  expect(givenUp).toEqual({ givenUp: false });
  await deferMail(db, mail!, START_MS + hour);
  expect(await only()).toMatchObject({ attempts: 0, lastError: null, leaseUntilMs: again!.leaseUntilMs });
  await reportMail(db, mail!, { sent: true }, START_MS + 1);
  expect(await only()).toMatchObject({ attempts: 1, sentAtMs: START_MS + 1 });
  await reportMail(db, again!, failed, START_MS + 2);
  expect(await only()).toMatchObject({ attempts: 1, sentAtMs: START_MS + 1, lastError: null });
  expect(await renewMail(db, again!, SYSTEM_MS + LEASE_MS + 1)).toBeNull();
});

test('A mail that was leased while the clock was ahead is sent once it is right again', async () => {
  await queue('mira');
  expect(namesOf(await lease(START_MS, SYSTEM_MS + 9 * hour))).toEqual(['mira']);
  expect(await due()).toBe(0);
  expect(namesOf(await lease())).toEqual(['mira']);
  expect(await lease()).toEqual([]);
});

test('A mail that is put off is due at its new time and has not been tried, and one that nobody wants is deleted', async () => {
  await queue('reminder');
  await queue('unwanted');
  const [reminder, unwanted] = await lease();
  await deferMail(db, reminder!, START_MS + hour);
  await deferMail(db, unwanted!, null);
  expect(await only()).toMatchObject({ attempts: 0, sentAtMs: null, leaseUntilMs: 0 });
  expect(await lease(START_MS + hour - 1, SYSTEM_MS + hour)).toEqual([]);
  expect(await due()).toBe(hour);
  expect(namesOf(await lease(START_MS + hour))).toEqual(['reminder']);
});

test('A sent mail is never sent again, and nothing of its contents is kept', async () => {
  await queue('mira');
  const [mail] = await lease();
  await reportMail(db, mail!, { sent: true }, START_MS + 1);
  expect(await only()).toMatchObject({ sentAtMs: START_MS + 1, attempts: 1, values: {} });
  expect(await lease(START_MS + hour, SYSTEM_MS + hour)).toEqual([]);
  expect(await due(START_MS + hour, SYSTEM_MS + hour)).toBeNull();
  await reportMail(db, mail!, { ...failed, permanent: true }, START_MS + 2);
  expect(await only()).toMatchObject({ sentAtMs: START_MS + 1, lastError: null });
});

test('A mail that was not accepted is tried again after pauses that double, ten times at most', async () => {
  await queue('mira');
  const pauses: number[] = [];
  for (let nowMs = START_MS; ; ) {
    const [mail] = await lease(nowMs);
    if (!mail) break;
    await reportMail(db, mail, failed, nowMs);
    const { runAtMs, lastError } = await only();
    expect(lastError).toBe('busy');
    expect(await lease(runAtMs - 1)).toEqual([]);
    pauses.push((runAtMs - nowMs) / minute);
    nowMs = Math.min(runAtMs, START_MS + 1000 * hour);
  }
  expect(pauses.slice(0, -1)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
  expect(await only()).toMatchObject({ attempts: 10, sentAtMs: null, values: {} });
});

test('A mail about a promise is tried as long as the promise lasts, however long the server is away', async () => {
  await db.transaction((tx) =>
    queueMail(
      tx,
      {
        recipient: 'mira@example.org',
        locale: 'en',
        template: 'rewardPromised',
        values: { name: '', item: '', channel: '', rule: '', claimUntilMs: '', rewardId: 'reward' },
      },
      START_MS,
    ),
  );
  let nowMs = START_MS;
  const pauses: number[] = [];
  while (pauses.length < 12) {
    const [mail] = await lease(nowMs);
    await reportMail(db, mail!, failed, nowMs);
    const { runAtMs } = await only();
    pauses.push((runAtMs - nowMs) / minute);
    nowMs = runAtMs;
  }
  expect(pauses.slice(8)).toEqual([256, 256, 256, 256]);
  // One full mailbox does not hide whether mail is sent.
  expect(await countMails(db.read, nowMs)).toMatchObject({ waiting: 0, oldestAtMs: null });
  expect(await countMailTrouble(db.read, nowMs)).toMatchObject({ late: 0 });
  await reportMail(db, await only(), { ...failed, permanent: true }, nowMs);
  expect(await lease(START_MS + 100_000 * hour, SYSTEM_MS + hour)).toEqual([]);
});

test('A mail that the receiver rejects for good is given up at once', async () => {
  await queue('mira');
  const [mail] = await lease();
  await reportMail(db, mail!, { ...failed, permanent: true }, START_MS);
  expect(await lease(START_MS + 100_000 * hour, SYSTEM_MS + hour)).toEqual([]);
  expect(await only()).toMatchObject({ attempts: 1, lastError: 'busy', values: {}, leaseUntilMs: 0 });
});

test('It is known when a mail is next due, or the lease of one ends', async () => {
  expect(await due()).toBeNull();
  await queue('mira', START_MS + minute);
  expect(await due()).toBe(minute);
  expect(await due(START_MS + hour)).toBe(minute - hour);
  await lease(START_MS + minute);
  expect(await due(START_MS + minute, SYSTEM_MS + 1)).toBe(LEASE_MS - 1);
  await queue('otto', START_MS + minute + 5);
  expect(await due(START_MS + minute, SYSTEM_MS + 1)).toBe(5);
  await db.transaction(async (tx) => {
    await tx.delete(mails).where(eq(mails.recipient, 'otto@example.org'));
  });
  expect(await due(START_MS + minute, SYSTEM_MS + LEASE_MS)).toBe(0);
});
