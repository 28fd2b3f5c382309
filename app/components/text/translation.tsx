import { cloneElement, createContext, createElement, Fragment, type ReactElement, useContext } from 'react';
import type { TextKey, Translation } from '#app/locales/translation.ts';

/** The texts of the visitor's language; the entry module provides them. */
export const TranslationContext = createContext<Translation | null>(null);

export function useTranslation(): Translation {
  const translation = useContext(TranslationContext);
  if (!translation) throw new Error('there is no TranslationContext around this component');
  return translation;
}

/** A text with links in it: `<faq>words</faq>` becomes the link named `faq` with that text. */
export function LinkedText({ text, links }: { text: TextKey; links: Record<string, ReactElement> }) {
  const { t } = useTranslation();
  const parts = t(text).split(/(<(\w+)>.*?<\/\2>)/);
  // Each has three parts: plain text, a link with its tags, and that link's name.
  const drawn = parts.map((part, place) => {
    const link = place % 3 === 1 && links[parts[place + 1] ?? ''];
    if (link) return cloneElement(link, undefined, part.replace(/<[^>]+>/g, ''));
    return place % 3 === 0 && part;
  });
  return createElement(Fragment, null, ...drawn);
}
