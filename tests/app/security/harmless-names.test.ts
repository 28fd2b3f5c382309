import fc from 'fast-check';
import { RouterContextProvider } from 'react-router';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { csvCell, streamRows } from '#app/http/stream-rows.server.ts';
import { harmlessData } from '#app/middleware/harmless-data.server.ts';
import { longText, nameField, requiredText } from '#app/services/forms/form-fields.server.ts';
import { drawable } from '#app/services/share/drawable.ts';
import { en } from '#bot/locales/en.ts';
import { ru } from '#bot/locales/ru.ts';
import { letters } from '#bot/mail/letters.ts';
import { writeMail } from '#bot/mail/templates.ts';
import { messageQueue } from '#bot/twitch/chat/message-queue.ts';

/** A name with something hidden somewhere in it. */
const hiddenName = fc
  .tuple(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.constantFrom('\u200B', '\u202E', '\u2067', '\u061C', '\u3164', '\u{E0041}', '\uFEFF', '\u00AD'),
    fc.string({ minLength: 1, maxLength: 20 }),
  )
  .map((parts) => parts.join(''));
const hiddenSign = /[\u200B\u202E\u2067\u061C\u3164\u{E0041}\uFEFF\u00AD]/u;

const always = (check: (name: string) => unknown) =>
  fc.assert(
    fc.asyncProperty(hiddenName, async (name) => void (await check(name))),
    { numRuns: 100 },
  );

const faultsOf = (field: z.ZodType, value: string) =>
  field.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

test.each([
  ['names of people, passkeys and messages', nameField],
  ['names of rules and tokens', requiredText(80)],
  ['messages', longText(4000)],
])('Hidden characters are refused in %s, and the form says why', async (_, field) => {
  await always((name) => expect(faultsOf(field, `x${name}x`)).toContain('errors.field.hidden'));
});

test.each(['میخواهم', 'می\u200Cخواهم', 'क\u094D\u200Dष', 'שלום', 'Мира', '👩🏽\u200D💻 ❤\uFE0F'])(
  'The name %s is taken',
  (name) => {
    for (const field of [nameField, requiredText(80), longText(4000)])
      expect(field.safeParse(name)).toEqual({ success: true, data: name });
  },
);

test('Data that a page is drawn from has nothing hidden in it', async () => {
  const request = new Request('http://localhost:3000/rules.data');
  const read = async (type: string, text: string) => {
    const answer = () =>
      Promise.resolve(new Response(text, { status: 202, headers: { 'Content-Type': type } }));
    const context = new RouterContextProvider();
    const given = (await harmlessData(
      { request, context, params: {} } as never,
      answer as never,
    )) as Response;
    return [given.status, await given.text()] as const;
  };
  await always(async (name) => {
    const [status, text] = await read('text/x-script; charset=utf-8', JSON.stringify([name]));
    expect(status).toBe(202);
    expect(text).not.toMatch(hiddenSign);
    expect(await read('text/plain', name)).toEqual([202, await new Response(name).text()]);
  });
});

test('Exports have nothing hidden in them', async () => {
  await always(async (name) => {
    const list = async () => ({ rows: [{ name }], next: null });
    const csv = await streamRows('x', 'csv', ['name'], list).text();
    // The file begins with a byte order mark, which is no part of the text.
    expect(csv).not.toMatch(hiddenSign);
    expect(await streamRows('x', 'json', ['name'], list).text()).not.toMatch(hiddenSign);
  });
});

test.each(['=1+1', '＝1+1', '＋1', '－1', '＠SUM(A1)', '\u3000=1', ' \t=1', '\u200B=1', '\r=1', '\u202E＝1'])(
  'A cell that begins like the formula %s is text',
  (value) => {
    expect(csvCell(value)).toMatch(/^"'/);
  },
);

test('Lines in chat have nothing hidden in them but what makes them differ', async () => {
  await always((name) => {
    const said: string[] = [];
    const queue = messageQueue({ send: ({ text }) => said.push(text) > 0, isModerator: () => true });
    queue.push({ channelLogin: 'demo', text: name });
    queue.stop();
    expect(said).toHaveLength(1);
    expect(said.join()).not.toMatch(hiddenSign);
  });
});

test('Mails have nothing hidden in subject, text or markup', async () => {
  const addresses = {
    publicUrl: new URL('https://keepsake.example/'),
    imageUrl: new URL('https://steam.example/'),
  };
  await always((name) => {
    const withNames = ['contactMessage', 'noChannelPoints', 'deliveredWithoutPoints', 'chatTrouble'] as const;
    for (const template of withNames) {
      const texts = { name, rule: name, channel: name, item: name, viewer: name, message: name };
      const values = {
        ...texts,
        ...{ email: 'demo@example.org', ruleId: 'none', confirmed: 'yes', fault: 'banned', sinceMs: '0' },
      };
      const mail = writeMail({ template, locale: 'en', values }, addresses);
      expect(mail?.subject).not.toBe('');
      expect(mail).not.toBeNull();
      expect(JSON.stringify(mail)).not.toMatch(hiddenSign);
    }
  });
});

test('Pictures of links have nothing hidden in them', async () => {
  expect(drawable('de\u200Bmo')).toBe('demo');
  await always((name) => expect(drawable(name)).not.toMatch(hiddenSign));
});

const hebrew = 'קבוע 5 <"';
const marked = `\u2068${hebrew}\u2069`;
/** Nothing of it stands in a text without the marks. */
const unmarked = (text: string) => text.replaceAll(marked, '').includes('קבוע');

test('A rule’s name that is written from right to left turns nothing in a line of chat', () => {
  const said: string[] = [];
  const queue = messageQueue({ send: ({ text }) => said.push(text) > 0, isModerator: () => true });
  const rule = { name: hebrew, ruleName: hebrew, freeRewards: 3, standing: 'claimed' };
  for (const { rewards, progress, promised } of [en, ru]) {
    const list = [rewards.rule(rule as never), progress.rule(rule as never)].join('; ');
    for (const text of [
      rewards.some({ list, url: 'https://keepsake.example/' }),
      promised.line({ names: '@demo', others: 2, rule: hebrew, url: 'https://keepsake.example/' }),
    ])
      queue.push({ channelLogin: 'demo', text });
  }
  queue.stop();
  expect(said).toHaveLength(4);
  expect(said.filter((text) => !text.includes(marked) || unmarked(text))).toEqual([]);
});

test('A name that is written from right to left turns nothing in any mail', () => {
  const addresses = {
    publicUrl: new URL('https://keepsake.example/'),
    imageUrl: new URL('https://steam.example/'),
  };
  const named = [
    'name',
    'rule',
    'channel',
    'item',
    'viewer',
    'owner',
    'steam',
    'browser',
    'system',
    'shows',
    'code',
  ];
  const values = Object.fromEntries(named.map((value) => [value, hebrew]));
  for (const locale of ['en', 'ru'] as const)
    for (const template of Object.keys(letters[locale])) {
      const numbers = {
        email: 'demo@example.org',
        amount: '100',
        currency: 'eur',
        atMs: '0',
        endsAtMs: '0',
        change: 'steamLinked',
        concern: 'missing',
        why: 'refund',
        trouble: 'overdue',
        ids: 'demo-transfer',
        fault: 'tooFast',
      };
      const mail = writeMail({ template, locale, values: { ...numbers, ...values } }, addresses);
      const texts = [mail?.subject ?? '', mail?.text ?? ''].map((text) => text.replace(/https:\S+/g, ''));
      expect([template, texts.filter(unmarked)]).toEqual([template, []]);
    }
});
