import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { letters } from '#bot/mail/letters.ts';
import { createMailer } from '#bot/mail/mailer.ts';
import { type WrittenMail, writeMail } from '#bot/mail/templates.ts';
import { locales } from '#db/schema/user.ts';
import type { MailTemplate } from '#domain/outbox/queue-mail.ts';
import { openMailbox } from '#sandbox/mail/mailbox.ts';
import { startSmtp } from '#sandbox/mail/start-smtp.ts';

const addresses = {
  publicUrl: new URL('https://keepsake.example'),
  imageUrl: new URL('https://images.example/economy/'),
};
const nasty = '<img src=x onerror=alert(1)>"&\'';
const values = {
  name: nasty,
  email: 'person+tag@example.org',
  token: 'abc/123',
  message: `${nasty}\nsecond line`,
  item: nasty,
  channel: nasty,
  rule: nasty,
  ruleId: 'rule-1',
  viewer: nasty,
  bot: nasty,
  said: nasty,
  times: '3',
  minutes: '4',
  concern: 'missing',
  trouble: 'sendingUnknown',
  ids: 'transfer-1, transfer-2',
  amount: '2',
  claimUntilMs: '0',
  rules: '2',
  items: '2',
  product: 'streamer',
  tier: 'basic',
  untilMs: '0',
  period: 'month',
  price: '499',
  currency: 'usd',
  endsMs: '0',
  customer: 'cus_1',
  kind: 'void',
  subject: 'in_1',
  subscription: 'sub_1',
  confirmed: 'no',
  what: nasty,
  change: 'steamLinked',
  steam: '76561198000000001',
  why: 'declined',
  code: 'ABCD-EFGH',
  deliveredMs: '0',
  transferId: 'transfer-1',
  rewardId: 'reward-1',
  fault: 'restricted',
};
/** A stranger chooses their recipient, so they carry none of their words. */
const unnamed: readonly MailTemplate[] = ['confirmMessage', 'verifyEmail', 'changeEmail'];
/** To the operator, with Stripe's ids alone, and with nothing but a number. */
const nameless: readonly MailTemplate[] = [
  ...unnamed,
  'custodyDrift',
  'paymentReversed',
  'customerFailed',
  'billingActStuck',
  'subscriptionUnreadable',
  'subscriptionHasMore',
  'itemsUsable',
];
const templates = Object.keys(letters.en) as MailTemplate[];
const named = templates.filter((template) => !nameless.includes(template));
const write = (template: string, locale: 'en' | 'ru', more: Record<string, string> = {}) => {
  const mail = writeMail({ template, locale, values: { ...values, ...more } }, addresses);
  if (!mail) throw new Error(`no ${template}`);
  return mail;
};

describe.each(locales)('In %s', (locale) => {
  test.each(named)('the mail %s has text and HTML parts, and names are escaped in it', (template) => {
    const mail = write(template, locale);
    expect(mail.html).toContain(`<html lang="${locale}">`);
    expect(mail.html).not.toContain('<img');
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&amp;&#39;');
    expect(mail.text).toContain(nasty);
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(/[а-я]/i.test(mail.subject + mail.text)).toBe(locale === 'ru');
  });

  test.each(unnamed)('the mail %s contains nothing that a stranger wrote', (template) => {
    const mail = write(template, locale);
    expect(mail.html).toContain(`<html lang="${locale}">`);
    expect(/[а-я]/i.test(mail.subject + mail.text)).toBe(locale === 'ru');
    for (const word of [
      nasty,
      'onerror',
      'second line',
      ...(template === 'changeEmail' ? [] : ['example.org']),
    ])
      expect(JSON.stringify(mail)).not.toContain(word);
  });

  test('a letter begins with picture and button and ends with the fingerprint in groups', () => {
    const fingerprint = '0123456789abcdef'.repeat(4);
    const more = {
      icon: 'item-hash',
      item: 'Demo Rifle',
      proof: 'demo-rule/7',
      fingerprint,
      timeZone: 'Asia/Tokyo',
    };
    const { html, text } = write('rewardPromised', locale, more);
    const places = [
      '<img src="https://images.example/economy/item-hash" alt="Demo Rifle"',
      '<h1',
      'href="https://keepsake.example/rewardProgress"',
      'https://keepsake.example/proof/demo-rule/7',
      'https://keepsake.example/settings',
      '01234567 89abcdef 01234567',
    ].map((part) => html.indexOf(part));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(html.match(/class="button"/g)).toHaveLength(1);
    expect(text.trimEnd().endsWith(fingerprint)).toBe(true);
    expect(text).toContain('09:00');
    expect(text).not.toContain('UTC');
  });

  test('only notifications lead to where they are switched off', () => {
    const settings = 'https://keepsake.example/settings';
    for (const template of ['claimReminder', 'rewardDelivered', 'claimFailed', 'itemsUsable'])
      expect(write(template, locale).text).toContain(settings);
    for (const template of ['verifyEmail', 'resetPassword', 'emailChanged', 'twitchRestricted'])
      expect(write(template, locale).text).not.toContain(settings);
  });

  test('a letter about a bot’s inventory says how many items are missing, or belong to nobody', () => {
    const about = (concern: string, amount: string) => write('inventoryDiffers', locale, { concern, amount });
    const mails = [
      about('missing', '1'),
      about('missing', '7'),
      about('unknown', '1'),
      about('unknown', '7'),
    ];
    expect(new Set(mails.map(({ subject }) => subject)).size).toBe(2);
    expect(new Set(mails.map(({ text }) => text)).size).toBe(4);
    for (const { text } of mails) expect(text).toContain('npm run keepsake -- custody');
    expect(mails.map(({ text }) => text.includes('7'))).toEqual([false, true, false, true]);
  });

  test('the links open the pages that handle them', () => {
    expect(write('confirmMessage', locale).text).toContain(
      'https://keepsake.example/contact_us/confirm?token=abc%2F123\n',
    );
    expect(write('verifyEmail', locale).text).toContain(
      'https://keepsake.example/email/verify?token=abc%2F123\n',
    );
    expect(write('changeEmail', locale).text).toContain(
      'https://keepsake.example/email/verify?token=abc%2F123\n',
    );
    expect(write('resetPassword', locale).text).toContain(
      'https://keepsake.example/auth/reset-password?token=abc%2F123&email=person%2Btag%40example.org\n',
    );
  });

  test('a contact message is quoted, and replies go to its sender', () => {
    const mail = write('contactMessage', locale, { message: 'one\ntwo' });
    expect(mail.text).toContain('> one\n> two');
    expect(mail.replyTo).toBe('person+tag@example.org');
    const confirmed = write('contactMessage', locale, { message: 'one', confirmed: 'yes' });
    expect(confirmed.text).not.toContain(mail.text.split('\n\n').at(-1));
    expect(write('verifyEmail', locale).replyTo).toBeUndefined();
  });
});

async function deliver([recipient, mail]: [string, WrittenMail], port: number) {
  const mailer = createMailer({
    mail: { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'no-reply@example.org' },
    publicUrl: new URL('https://keepsake.example.org'),
  });
  if (!mailer) throw new Error('no mailer was made');
  onTestFinished(() => mailer.close());
  return mailer.send(recipient, mail, 'mail-1', () => true);
}

test('Neither name nor address of a contact message can inject a header or a recipient', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-letters-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const mailbox = await openMailbox(folder);
  const smtp = await startSmtp({ mailbox, now: Date.now, port: 0 });
  onTestFinished(() => smtp.close());
  const written = write('contactMessage', 'en', {
    name: 'Demo\r\nBcc: victim@example.org',
    email: 'guest@example.org\r\nBcc: victim@example.org',
  });
  expect(await deliver(['operator@example.org', written], smtp.port)).toEqual({ sent: true });
  const [received] = mailbox.list();
  expect(received?.to).toEqual(['operator@example.org']);
  expect(received?.subject).toBe('Message from Demo Bcc: victim@example.org');
  expect(mailbox.list('victim@example.org')).toEqual([]);
});

test('A mail server’s refusal is stored without the address in it', async () => {
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(Object.assign(new Error(`no such person <${address}>`), { responseCode: 550 })),
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => smtp.close(resolve)));
  const { port } = smtp.server.address() as { port: number };
  const result = await deliver(['person@example.org', write('verifyEmail', 'en')], port);
  expect(result).toMatchObject({ sent: false, permanent: true });
  expect(JSON.stringify(result)).toContain('no such person');
  expect(JSON.stringify(result)).not.toContain('person@example.org');
});

test('The letter about a new browser says when, which and how, and leads to the signed-in browsers', () => {
  const facts = { change: 'newBrowser', by: 'passkey', browser: 'Firefox', system: 'Linux', atMs: '0' };
  const { subject, text } = write('accountChanged', 'en', { ...facts, timeZone: 'Europe/Berlin' });
  expect(subject).toBe('A new browser signed in to your account');
  for (const part of [
    'When: Thu, 1 January 1970 at 01:00',
    'Browser: Firefox on Linux',
    'Signed in with: a passkey',
    'https://keepsake.example/settings',
    'https://keepsake.example/auth/disown?token=abc%2F123',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('/auth/forgot-password');
  const russian = write('accountChanged', 'ru', { ...facts, browser: '', system: '', by: 'password' }).text;
  expect(russian).toContain('Браузер: Неизвестен');
  expect(russian).toContain('Способ входа: пароль');
});

test('A change without a link, as the operator’s own, leads to a new password instead', () => {
  const { token: _, ...unlinked } = values;
  const about = { ...unlinked, change: 'secondFactorRemoved' };
  const text = writeMail({ template: 'accountChanged', locale: 'en', values: about }, addresses)?.text;
  expect(text).toContain('Set a new password:\nhttps://keepsake.example/auth/forgot-password');
  expect(text).not.toContain('/auth/disown');
});
