import type { MiddlewareFunction } from 'react-router';
import { LanguageDetector } from 'remix-i18next/server';
import { isLanguage, type Language, languages } from '#app/locales/languages.ts';
import { languageCookie } from '#app/services/preferences.server.ts';
import { languageContext } from './contexts.server.ts';

const detector = new LanguageDetector({
  supportedLanguages: [...languages],
  fallbackLanguage: 'en',
  cookie: languageCookie,
  order: ['cookie', 'header'],
});

/** The language chosen here, else the browser's first one that we have; en-US is our English. */
export async function detectLanguage(request: Request): Promise<Language> {
  const detected = await detector.detect(request);
  return isLanguage(detected) ? detected : 'en';
}

export const language: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const detected = await detectLanguage(request);
  context.set(languageContext, detected);
  const response = await next();
  response.headers.set('Content-Language', detected);
  response.headers.append('Vary', 'Accept-Language, Cookie');
  return response;
};
