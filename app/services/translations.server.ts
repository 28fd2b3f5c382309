import { createInstance } from 'i18next';
import { en } from '#app/locales/en.ts';
import type { Language } from '#app/locales/languages.ts';
import { ru } from '#app/locales/ru.ts';
import { createTranslation, type FindText, type Translation } from '#app/locales/translation.ts';

/** Creates the translations of one language. i18next handles plurals and values. */
export function findByI18next(language: Language, texts: object): FindText {
  const instance = createInstance({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: texts } },
    initAsync: false,
  });
  void instance.init();
  return (key, count) => {
    const options = count === undefined ? {} : { count };
    if (!instance.exists(key, options)) return null;
    const found: unknown = instance.t(key, { ...options, skipInterpolation: true, returnObjects: true });
    return typeof found === 'string' ? found : null;
  };
}

// One per language, for the lifetime of the process.
const prepared: Record<Language, Translation> = {
  en: createTranslation('en', findByI18next('en', en)),
  ru: createTranslation('ru', findByI18next('ru', ru)),
};

export function translations(language: Language): Translation {
  return prepared[language];
}
