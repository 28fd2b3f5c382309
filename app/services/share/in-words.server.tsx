import { renderToStaticMarkup } from 'react-dom/server';
import { TranslationContext } from '#app/components/text/translation.tsx';
import type { Language } from '#app/locales/languages.ts';
import { translations } from '#app/services/translations.server.ts';

/** Calls a hook of the pages' components outside a page, in UTC: a picture uses the same words as its page. */
export function inWords<Result>(language: Language, useResult: () => Result): Result {
  let result: { value: Result } | null = null;
  function Reader() {
    result = { value: useResult() };
    return null;
  }
  renderToStaticMarkup(
    <TranslationContext value={translations(language)}>
      <Reader />
    </TranslationContext>,
  );
  if (!result) throw new Error('the reader was not rendered');
  return (result as { value: Result }).value;
}
