import { expect, test } from 'vitest';
import { type Language, languages } from '#app/locales/languages.ts';
import { translations } from '#app/services/translations.server.ts';
import { type Page, wordsOf } from '../support/site.ts';

/** The page that was reached, and the values in its sentence. */
export type Reached = { page: Page; values?: Record<string, string> };
export type Deed = (language: Language) => Promise<Page | Reached>;

/** A sentence of the specification: its key, its text in both languages, and the ways to reach it. */
export interface Message {
  key: string;
  en: string;
  ru: string;
  reached: Record<string, Deed>;
}

/** For sentences without a page yet: they are checked by key only. */
export const noScreenYet = {};

/** An action by a user without this account. */
export const lacking =
  (accountType: string, deed: (language: Language) => Promise<Page>): Deed =>
  async (language) => ({ page: await deed(language), values: { accountType } });

const fill = (sentence: string, values: Record<string, string>) =>
  sentence.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);

/** Tests that every sentence is in the locales word for word, and that every way leads to it. */
export function testMessages(messages: readonly Message[]): void {
  const sentences = messages.flatMap((message) => languages.map((language) => ({ ...message, language })));
  test.each(sentences)(
    '$key has the exact text of the specification ($language)',
    ({ key, language, ...message }) => {
      const say = translations(language).t as (key: string) => string;
      expect(say(key)).toBe(message[language]);
    },
  );

  const deeds = sentences.flatMap(({ reached, ...message }) =>
    Object.entries(reached).map(([how, deed]) => ({ ...message, how, deed })),
  );
  test.each(deeds)('$key is shown by $how ($language)', async ({ deed, language, ...message }) => {
    const reached = await deed(language);
    const { page, values = {} } = 'page' in reached ? reached : { page: reached };
    expect(wordsOf(page.html)).toContain(fill(message[language], values));
    expect(page.html).toContain(`<html lang="${language}"`);
  });
}
