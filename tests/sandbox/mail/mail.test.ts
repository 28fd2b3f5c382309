import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Mailbox, openMailbox } from '#sandbox/mail/mailbox.ts';
import { findLinks } from '#sandbox/mail/parse-mail.ts';
import { maxMailBytes, startSmtp } from '#sandbox/mail/start-smtp.ts';

let folder: string;
let mailbox: Mailbox;
let smtp: Awaited<ReturnType<typeof startSmtp>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-mail-'));
  mailbox = await openMailbox(folder);
  smtp = await startSmtp({ mailbox, now: () => 5000, port: 0 });
});

afterEach(async () => {
  await smtp.close();
  await rm(folder, { recursive: true, force: true });
});

const transport = () => createTransport({ url: `smtp://127.0.0.1:${smtp.port}` });

const letter = {
  from: 'Keepsake <no-reply@keepsake.example>',
  to: 'Viewer@Example.com',
  subject: 'Verify your email – проверка',
  text: 'Open http://localhost:3000/email/verify?token=a-b_c&x=1.\nThank you, ёлка.',
  html: '<p>Open <a href="http://localhost:3000/email/verify">this</a></p>',
};

test('A mail arrives with both parts and its links', async () => {
  await transport().sendMail(letter);
  expect(mailbox.list()).toEqual([
    {
      id: '000000001',
      receivedAtMs: 5000,
      from: 'no-reply@keepsake.example',
      to: ['viewer@example.com'],
      subject: 'Verify your email – проверка',
      text: expect.stringContaining('Thank you, ёлка.'),
      html: expect.stringContaining('<a href='),
      links: ['http://localhost:3000/email/verify?token=a-b_c&x=1'],
    },
  ]);
});

test('The inbox of an address is sorted newest first and ignores case', async () => {
  await transport().sendMail({ ...letter, subject: 'one' });
  await transport().sendMail({ ...letter, to: 'other@example.com', subject: 'two' });
  await transport().sendMail({ ...letter, subject: 'three' });
  expect(mailbox.list('VIEWER@example.com').map((mail) => mail.subject)).toEqual(['three', 'one']);
  expect(mailbox.list('nobody@example.com')).toEqual([]);
});

test('A mail with only HTML still yields its links', async () => {
  const html = '<p><a href="http://localhost:3000/?a=1&amp;b=2">this</a></p>';
  await transport().sendMail({ from: letter.from, to: letter.to, subject: 'HTML', html });
  expect(mailbox.list()[0]?.links).toEqual(['http://localhost:3000/?a=1&b=2']);
});

test('A mail beyond the size limit is refused and not stored', async () => {
  const text = 'x'
    .repeat(70)
    .concat('\n')
    .repeat(maxMailBytes / 70);
  await expect(transport().sendMail({ ...letter, text })).rejects.toThrow(/larger|maximum|size/i);
  expect(mailbox.list()).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test('Mails survive a restart, and the oldest are deleted', async () => {
  const small = await openMailbox(folder, 2);
  for (const subject of ['one', 'two', 'three']) {
    await small.add({
      receivedAtMs: 1,
      from: 'a@b.c',
      to: ['d@e.f'],
      subject,
      text: '',
      html: '',
      links: [],
    });
  }
  const again = await openMailbox(folder, 2);
  expect(again.list().map((mail) => mail.subject)).toEqual(['three', 'two']);
  const next = await again.add({ ...letter, to: [letter.to], receivedAtMs: 2, links: [] });
  expect(next.id).toBe('000000004');
  await again.clear();
  expect(await readdir(folder)).toEqual([]);
});

test('Links end before punctuation', () => {
  expect(findLinks('(see https://a.example/x), <https://b.example/?q=1> and https://a.example/x.')).toEqual([
    'https://a.example/x',
    'https://b.example/?q=1',
  ]);
});
