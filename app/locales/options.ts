import type { InitOptions } from 'i18next';

/** What server and browser share. React escapes by itself, and nothing is loaded later. */
export const i18nOptions = {
  fallbackLng: 'en',
  supportedLngs: ['en', 'ru'],
  load: 'languageOnly',
  interpolation: { escapeValue: false },
  returnNull: false,
  initAsync: false,
  react: { useSuspense: false },
  showSupportNotice: false,
} satisfies InitOptions & { showSupportNotice?: boolean };
