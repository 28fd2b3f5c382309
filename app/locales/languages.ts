/** The languages of the interface. English is the default and what everything falls back to. */
export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];

export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}

/** Each language by its own name, for the switch. */
export const languageNames: Record<Language, string> = { en: 'English', ru: 'Русский' };
