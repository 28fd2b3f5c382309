import { browser } from '../browser.ts';

/** The languages of the extension. Each script takes only its own part of their texts, so that it stays small. */
export type Language = 'en' | 'ru';

/** The language of the browser, which is that of the extension. */
export const language = (): Language => (browser().i18n.getUILanguage().startsWith('ru') ? 'ru' : 'en');

/** A moment in that language, such as `14 Nov, 18:40`. */
export const dateText = (date: string, shown: Language): string =>
  new Intl.DateTimeFormat(shown === 'ru' ? 'ru' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(date));
