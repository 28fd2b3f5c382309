import type { PlainDocument } from '#app/components/shell/document-page.tsx';
import { documents as en } from '#app/locales/documents/en.ts';
import { documents as ru } from '#app/locales/documents/ru.ts';
import type { Language } from '#app/locales/languages.ts';

export type DocumentName = 'faq' | 'terms' | 'privacy' | 'cookies';
const documents: Record<Language, Record<DocumentName, PlainDocument>> = { en, ru };

/** A legal text of the site in one language. The texts stay on the server: each page loads only its own. */
export const documentOf = (name: DocumentName, language: Language): PlainDocument =>
  documents[language][name];
