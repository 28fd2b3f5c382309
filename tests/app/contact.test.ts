import { beforeEach, expect, test } from 'vitest';
import { documentOf } from '#app/http/documents.server.ts';
import { verified } from '#app/middleware/guards.server.ts';
import { action as confirmAction, loader as confirmLoader } from '#app/routes/contact/confirm.tsx';
import { action, loader } from '#app/routes/contact/contact.tsx';
import { database } from '#app/services/database.server.ts';
import { confirmMessageUrl } from '#bot/mail/letter.ts';
import { attempts } from '#db/schema/access.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { mails } from '#db/schema/outbox.ts';
import { member, newcomer } from './support/member.ts';
import { solveCaptcha } from './support/solve-captcha.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb({ OPERATOR_EMAIL: 'operator@example.org' });
beforeEach(async () => {
  await (await database()).transaction(async (tx) => {
    await tx.delete(attempts);
    await tx.delete(contactMessages);
    await tx.delete(mails);
  });
});

const letter = { name: 'Demo guest', email: 'guest@example.org', message: 'Where is\nmy item?' };
const send = (visitor: Visitor, form: Record<string, string>, path = '/contact_us') =>
  visitor.call(action, path, { form });
const saved = async () => (await database()).read.select().from(contactMessages);
const sent = async () => (await database()).read.select().from(mails);

const plain = { ...letter, without_script: 'on' };

test('A guest can write to the operator after solving the captcha', async () => {
  const visitor = new Visitor();
  const refused = await send(visitor, letter);
  expect(refused.body.result.error).toEqual({ '': ['errors.captcha.invalid'] });
  const answer = await send(visitor, { ...letter, captcha: await solveCaptcha() }, '/help');
  expect(answer).toMatchObject({ location: '/help', toast: 'messages.messageSent' });
  expect(await saved()).toMatchObject([{ ...letter, userId: null }]);
  expect(await sent()).toMatchObject([{ recipient: 'operator@example.org', template: 'contactMessage' }]);
});

test('Without JavaScript, a guest confirms the message through a mailed link before the operator gets it', async () => {
  const answer = await send(new Visitor(), plain, '/help');
  expect(answer).toMatchObject({ location: '/help', toast: 'contact.confirm.sent' });
  expect(answer.message?.values).toEqual({ email: letter.email });
  const [link, ...more] = await sent();
  expect(link).toMatchObject({ recipient: letter.email, template: 'confirmMessage' });
  expect(more).toEqual([]);
  const path = confirmMessageUrl(link?.values.token ?? '', new URL('http://localhost:3000'));
  const form = { token: link?.values.token ?? '' };
  for (let opened = 0; opened < 2; opened++) {
    const { body } = await new Visitor().call(confirmLoader, path);
    expect(body).toMatchObject({ kind: 'waiting', ...form, lines: ['Where is', 'my item?'] });
  }
  expect(await sent()).toHaveLength(1);
  const confirmed = await new Visitor().call(confirmAction, path, { form });
  expect(confirmed).toMatchObject({ location: '/contact_us', toast: 'messages.messageSent' });
  expect((await sent())[1]).toMatchObject({
    recipient: 'operator@example.org',
    values: { confirmed: 'yes' },
  });
  const again = await new Visitor().call(confirmAction, path, { form });
  expect(again).toMatchObject({ status: 410, body: { error: 'errors.contact.linkUsed' } });
  expect(await sent()).toHaveLength(2);
});

test('An account with an unverified address is treated as a guest', async () => {
  const { visitor } = await newcomer();
  await (await database()).transaction((tx) => tx.delete(mails) as never);
  expect((await visitor.call(loader, '/contact_us')).body.captcha).not.toBeNull();
  expect((await send(visitor, letter)).status).toBe(400);
  expect((await send(visitor, plain)).toast).toBe('contact.confirm.sent');
  expect((await sent()).map(({ template }) => template)).toEqual(['confirmMessage']);
});

test('A signed-in user needs no captcha, and name and address are filled in', async () => {
  const { visitor, email } = await member();
  await (await database()).transaction((tx) => tx.delete(mails) as never);
  const seen = await visitor.call(loader, '/contact_us');
  expect(seen.body).toMatchObject({ known: { email }, captcha: null });
  expect(await send(visitor, letter)).toMatchObject({
    location: '/contact_us',
    toast: 'messages.messageSent',
  });
  expect((await saved())[0]?.userId).toEqual(expect.any(String));
  for (let more = 1; more < 5; more++) await send(visitor, letter);
  expect((await send(visitor, letter)).status).toBe(429);
  await visitor.call(() => null, '/dashboard', { guard: verified });
});

test('Without JavaScript, a guest can write twice an hour', async () => {
  const visitor = new Visitor();
  await send(visitor, plain);
  await send(visitor, plain);
  const answer = await send(visitor, plain);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  // No address gets more than three confirmation mails a day for messages sent in its name; refused ones count.
  expect((await send(new Visitor(), { ...plain, email: 'GUEST@example.org' })).status).toBe(429);
  expect((await send(new Visitor(), { ...plain, email: 'other@example.org' })).status).toBe(302);
});

test.each([
  [{ name: 'Demo\r\nBcc: victim@example.org' }, 'name'],
  [{ email: 'guest@example.org\r\nBcc: victim@example.org' }, 'email'],
  [{ email: 'guest@example.org, victim@example.org' }, 'email'],
  [{ message: '' }, 'message'],
  [{ message: 'x'.repeat(4001) }, 'message'],
  [{ message: 'a\u0000b' }, 'message'],
])('A message with %j is refused next to the field', async (more, field) => {
  const answer = await send(new Visitor(), { ...letter, without_script: 'on', ...more } as Record<
    string,
    string
  >);
  expect(answer.status).toBe(400);
  expect(Object.keys(answer.body.result.error)).toEqual([field]);
  expect(await saved()).toEqual([]);
});

test('The site’s texts exist in both languages, with the same sections', () => {
  for (const name of ['faq', 'terms', 'privacy', 'cookies'] as const) {
    const [en, ru] = [documentOf(name, 'en'), documentOf(name, 'ru')];
    const shape = (text: typeof en) =>
      text.sections.map((section) => [section.text.length, section.list?.length]);
    expect(shape(ru)).toEqual(shape(en));
    expect(ru.title).not.toBe(en.title);
  }
});
