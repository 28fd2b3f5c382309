import { expect, test } from 'vitest';
import { type Language, languages } from '#app/locales/languages.ts';
import { translations } from '#app/services/translations.server.ts';
import { type Page, wordsOf } from '../support/site.ts';

/** What somebody read in the end, and what stands in the places of its sentence. */
export type Reached = { page: Page; values?: Record<string, string> };
export type Deed = (language: Language) => Promise<Page | Reached>;

/** A sentence of the specification: its key, its words in both languages, and each way that leads to it. */
export interface Message {
  key: string;
  en: string;
  ru: string;
  reached: Record<string, Deed>;
}

/** For sentences about pages that are not there yet: nothing leads to them but their key. */
export const noScreenYet = {};

/** The deed of somebody who lacks an account of this kind. */
export const lacking =
  (accountType: string, deed: (language: Language) => Promise<Page>): Deed =>
  async (language) => ({ page: await deed(language), values: { accountType } });

const fill = (sentence: string, values: Record<string, string>) =>
  sentence.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);

/** Tests that every sentence stands in the locales word for word, and that every deed makes somebody read it. */
export function testMessages(messages: readonly Message[]): void {
  const sentences = messages.flatMap((message) => languages.map((language) => ({ ...message, language })));
  test.each(sentences)(
    '$key says its sentence word for word ($language)',
    ({ key, language, ...message }) => {
      const say = translations(language).t as (key: string) => string;
      expect(say(key)).toBe(message[language]);
    },
  );

  const deeds = sentences.flatMap(({ reached, ...message }) =>
    Object.entries(reached).map(([how, deed]) => ({ ...message, how, deed })),
  );
  test.each(deeds)('$key is read by $how ($language)', async ({ deed, language, ...message }) => {
    const reached = await deed(language);
    const { page, values = {} } = 'page' in reached ? reached : { page: reached };
    expect(wordsOf(page.html)).toContain(fill(message[language], values));
    expect(page.html).toContain(`<html lang="${language}"`);
  });
}
