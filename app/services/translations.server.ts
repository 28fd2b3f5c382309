import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { en } from '#app/locales/en.ts';
import type { Language } from '#app/locales/languages.ts';
import { i18nOptions } from '#app/locales/options.ts';
import { ru } from '#app/locales/ru.ts';

function prepare(language: Language): i18n {
  const instance = createInstance({
    ...i18nOptions,
    lng: language,
    resources: { en: { translation: en }, ru: { translation: ru } },
  }).use(initReactI18next);
  void instance.init();
  return instance;
}

// One ready instance per language for the life of the process: making one per request costs more than
// drawing the page does.
const instances: Record<Language, i18n> = { en: prepare('en'), ru: prepare('ru') };

export function translations(language: Language): i18n {
  return instances[language];
}
