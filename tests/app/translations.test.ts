import { expect, test } from 'vitest';
import { en } from '#app/locales/en.ts';
import { findInBrowser } from '#app/locales/find-in-browser.ts';
import { ru } from '#app/locales/ru.ts';
import { createTranslation, type TextKey } from '#app/locales/translation.ts';
import { findByI18next, translations } from '#app/services/translations.server.ts';
import { eventStreams } from '#domain/budget/budgets.ts';
import { MAX_EXCLUDED } from '#domain/channel/set-excluded-logins.ts';
import { PASSWORD_MIN_LENGTH } from '#domain/identity/password/password.ts';
import { minute } from '#domain/kernel/time.ts';
import { ruleBounds } from '#domain/rule/create-rule.ts';
import { weightBounds } from '#domain/rule/set-kind-weights.ts';
import { DEPOSIT_ANSWER_MS } from '#domain/transfer/offer-limits.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-size.ts';
import { MAX_ITEMS_PER_DEPOSIT } from '#domain/transfer/request-deposit.ts';

const pathsOf = (texts: object, prefix = ''): string[] =>
  Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'string' ? [prefix + name] : [prefix + name, ...pathsOf(value, `${prefix}${name}.`)],
  );

test.each([
  ['en', en],
  ['ru', ru],
] as const)('The browser finds the same texts as the server (%s)', (language, texts) => {
  const [inBrowser, onServer] = [findInBrowser(language, texts), findByI18next(language, texts)];
  const paths = pathsOf(texts);
  const stems = paths.map((path) => path.replace(/_(one|few|many|other)$/, ''));
  const counts = [undefined, 0, 1, 2, 5, 11, 21, 22, 101, 1.5];
  let found = 0;
  for (const key of new Set([...paths, ...stems, 'no.such.text', 'errors']))
    for (const count of counts) {
      const text = onServer(key, count);
      expect({ key, count, text: inBrowser(key, count) }).toEqual({ key, count, text });
      if (text !== null) found += 1;
    }
  expect(found).toBeGreaterThan(5_000);
});

test.each([
  ['auth.passwordHint', [PASSWORD_MIN_LENGTH]],
  ['rules.form.claimHint', [ruleBounds.claimTimeoutHours.min, ruleBounds.claimTimeoutHours.max]],
  ['errors.rule.weight', [weightBounds.min, weightBounds.max]],
  ['errors.guest.tooMany', [MAX_EXCLUDED]],
  ['errors.trade.tooManyItems', [MAX_ITEMS_PER_OFFER]],
  ['errors.trade.depositTooLarge', [MAX_ITEMS_PER_DEPOSIT]],
  ['apiCalls.streamNotifications', [eventStreams.ofAccount, eventStreams.ofAddress]],
  ['items.deposit.text', [DEPOSIT_ANSWER_MS / minute]],
  ['items.deposit.several', [MAX_ITEMS_PER_OFFER]],
  ['items.inventory.pickedText', [DEPOSIT_ANSWER_MS / minute]],
] as const)('The numbers in %s are the bounds that are checked', (key, bounds) => {
  for (const language of ['en', 'ru'] as const) {
    const text = translations(language).t(key);
    const numbers = text.replaceAll(/(?<=\d)[\s,](?=\d{3})/g, '').match(/\d+/g);
    expect(numbers?.map(Number)).toEqual(expect.arrayContaining([...bounds]));
  }
});

test('A text selects its plural by count and inserts its values', () => {
  const texts = { rest: '{{name}}: {{missing}}', left_one: '{{count}} item', left_other: '{{count}} items' };
  const { t, has } = createTranslation('en', findInBrowser('en', texts));
  expect(t('left' as TextKey, { count: 1 })).toBe('1 item');
  expect(t('left' as TextKey, { count: 4 })).toBe('4 items');
  expect(t('rest' as TextKey, { name: 'Demo' })).toBe('Demo: {{missing}}');
  expect(t('no.such.text' as TextKey)).toBe('no.such.text');
  expect([has('rest'), has('toString')]).toEqual([true, false]);
  expect(translations('ru').has('no.such.text')).toBe(false);
});

test.each([
  ['en', en],
  ['ru', ru],
] as const)('A sentence that ends with a date ends with one full stop (%s)', (language, texts) => {
  const { t } = translations(language);
  const dates = [
    new Date('2026-12-08').toLocaleDateString('ru-RU', { weekday: 'short', day: 'numeric', month: 'short' }),
    new Date('2027-12-09').toLocaleDateString('ru-RU', { day: 'numeric', month: 'short', year: 'numeric' }),
  ];
  const places = (key: string) => t(key as TextKey).match(/(?<=\{\{)\w+(?=\}\}\.)/g) ?? [];
  const ending = pathsOf(texts)
    .map((path) => path.replace(/_(one|few|many|other)$/, ''))
    .filter((key) => places(key).length > 0);
  expect(new Set(ending).size).toBeGreaterThan(40);
  for (const date of dates) {
    expect(date).toMatch(/\.$/);
    for (const key of ending) {
      const sentences = t(key as TextKey, Object.fromEntries(places(key).map((place) => [place, date])));
      expect(sentences).toContain(date);
      expect(sentences, key).not.toContain('..');
    }
  }
  expect(t('dashboard.tasks.emptyBy', { date: dates[0] ?? '' })).toMatch(/[^.]\.$/);
});
