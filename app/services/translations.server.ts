import { en } from '#app/locales/en.ts';
import type { Language } from '#app/locales/languages.ts';
import { ru } from '#app/locales/ru.ts';
import { createTranslation, type Translation } from '#app/locales/translation.ts';

// One per language for the life of the process.
const prepared: Record<Language, Translation> = {
  en: createTranslation('en', en),
  ru: createTranslation('ru', ru),
};

export function translations(language: Language): Translation {
  return prepared[language];
}
