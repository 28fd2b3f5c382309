import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findInBrowser } from '#app/locales/find-in-browser.ts';
import { languages } from '#app/locales/languages.ts';
import { textsByPage, withoutRedundantForms } from '#app/locales/texts-by-page.ts';
import { translations } from '#app/services/translations.server.ts';

const app = resolve('app');
const texts = textsByPage(app);
const frame = ['en/frame', 'ru/frame'].map((name) => texts.get(name));

/** The text that a browser with these files finds for a key. */
function find(files: string[], key: string, count?: number): string | null {
  const [language] = languages.filter((each) => files[0]?.startsWith(each));
  const found = files.map((name) => findInBrowser(language ?? 'en', texts.get(name) ?? {})(key, count));
  return found.find((text) => text !== null) ?? null;
}

const written = /\bt\(\s*'([\w.]+)'\s*\)/g;
const routes = readFileSync(join(app, 'routes.ts'), 'utf8');
const pages = readdirSync(join(app, 'routes'), { recursive: true, encoding: 'utf8' })
  .filter((file) => routes.includes(`'routes/${file}'`))
  .filter((file) => file.endsWith('.tsx') && !/layouts|contact\.tsx/.test(file))
  .map((file) => ({ file, id: `routes/${file.replace(/\.tsx$/, '')}` }));

test.each(pages)('A browser loads the texts that $id needs', ({ file, id }) => {
  const source = readFileSync(join(app, 'routes', file), 'utf8');
  for (const language of languages)
    for (const [, key = ''] of source.matchAll(written)) {
      const { t } = translations(language);
      const text = find([`${language}/frame`, `${language}/${id}`], key);
      expect({ key, text }).toEqual({ key, text: t(key as 'common.name') });
    }
});

test('A page has its components’ texts, in all plurals, and the templates in them', () => {
  const rule = ['ru/frame', 'ru/routes/rules/rule'];
  const all = translations('ru').t;
  for (const key of ['rules.asks.sinceRule', 'rules.type.one', 'rules.form.oneText', 'rules.paused.operator'])
    expect({ key, text: find(rule, key) ?? key }).toEqual({ key, text: all(key as 'rules.title') });
  for (const count of [1, 2, 5])
    expect(find(rule, 'rules.waiting', count)).toBe(find(['ru/rules'], 'rules.waiting', count));
  expect(find(rule, 'rules.waiting', 5)).not.toBeNull();
});

test('A page has no unused texts, and none that all pages share', () => {
  const progress = texts.get('en/routes/progress/progress') ?? {};
  expect(findInBrowser('en', progress)('rules.form.lede', undefined)).toBeNull();
  expect(findInBrowser('en', progress)('shell.skip', undefined)).toBeNull();
  expect(findInBrowser('en', frame[0] ?? {})('shell.skip', undefined)).not.toBeNull();
});

test('Keys built from data are found in their areas', () => {
  const { t } = translations('en');
  for (const key of ['errors.field.required', 'messages.registered', 'progress.claim.done'] as const)
    expect(find([`en/${key.split('.')[0]}`], key)).toBe(t(key));
});

test('Routes with an explicit id have their texts under it', () => {
  for (const id of ['help', 'contact_us']) expect(find([`en/${id}`], 'contact.title')).not.toBeNull();
});

test.each(languages)('In %s every count reads the same with fewer plural forms', (language) => {
  const whole = texts.get(`${language}/routes/dashboard/dashboard`) ?? {};
  const shorter = withoutRedundantForms(whole);
  const [one, other] = [findInBrowser(language, whole), findInBrowser(language, shorter)];
  const { tasks } = (whole as { dashboard: { tasks: object } }).dashboard;
  const plurals = Object.keys(tasks).flatMap((name) => name.match(/^(.+)_other$/)?.[1] ?? []);
  expect(plurals.length).toBeGreaterThan(3);
  for (const name of plurals)
    for (const count of [0, 1, 1.5, 2, 5, 11, 21, 22, 25, 101])
      expect(other(`dashboard.tasks.${name}`, count)).toBe(one(`dashboard.tasks.${name}`, count));
  expect(JSON.stringify(shorter).length).toBeLessThan(JSON.stringify(whole).length);
});
