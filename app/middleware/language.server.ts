import type { MiddlewareFunction } from 'react-router';
import { LanguageDetector } from 'remix-i18next/server';
import { isLanguage, type Language, languages } from '#app/locales/languages.ts';
import { languageCookie } from '#app/services/preferences.server.ts';
import { languageContext } from './contexts.server.ts';

/** The languages of a header in order of preference, without regions: en-US is en. */
function acceptedLanguages(header: string): string[] {
  return header
    .split(',')
    .map((part) => {
      const [code = '', ...parameters] = part.trim().split(';');
      const quality = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { code: code.split('-')[0] ?? '', quality: quality ? Number(quality.trim().slice(2)) : 1 };
    })
    .filter(({ code, quality }) => /^[a-z]{2,3}$/i.test(code) && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ code }) => code);
}

let made: LanguageDetector | undefined;
// Made for the first request: the name of the cookie depends on the settings.
const detector = (): LanguageDetector => {
  made ??= new LanguageDetector({
    supportedLanguages: [...languages],
    fallbackLanguage: 'en',
    cookie: languageCookie(),
    order: ['cookie', 'custom'],
    // The detector reads only the browser's first language, whether we support it or not.
    findLocale: async (request) => acceptedLanguages(request.headers.get('Accept-Language') ?? ''),
  });
  return made;
};

/** The language chosen on this site, otherwise the browser's preferred one that we support. */
export async function detectLanguage(request: Request): Promise<Language> {
  const detected = await detector().detect(request);
  return isLanguage(detected) ? detected : 'en';
}

export const language: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const detected = await detectLanguage(request);
  context.set(languageContext, detected);
  const response = await next();
  response.headers.set('Content-Language', context.get(languageContext));
  response.headers.append('Vary', 'Accept-Language, Cookie');
  return response;
};
