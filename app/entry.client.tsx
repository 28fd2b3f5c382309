import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';
import { DocumentContext, isTheme } from '#app/components/shell/page-context.tsx';
import { LoadTextsContext } from '#app/components/shell/page-handle.ts';
import { TranslationContext } from '#app/components/text/translation.tsx';
import './islands/consent-banner.ts';
import { findInBrowser } from './locales/find-in-browser.ts';
import { isLanguage } from './locales/languages.ts';
import { createBrowserTexts } from './locales/load-texts.ts';
import { createTranslation } from './locales/translation.ts';

async function hydrate() {
  const { lang, dataset } = document.documentElement;
  // The document names its language and the texts it was rendered with; they are loaded before hydration.
  const language = isLanguage(lang) ? lang : 'en';
  const { texts, load } = createBrowserTexts(language);
  await load(dataset.texts?.split(' ').filter(Boolean) ?? []);
  const translation = createTranslation(language, findInBrowser(language, texts));
  const facts = {
    // Browsers hide the nonce attribute from style sheets, but the property is readable by our own scripts.
    nonce: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '',
    theme: isTheme(dataset.theme) ? dataset.theme : ('system' as const),
    requestId: dataset.request ?? '',
  };
  // Loads the texts of errors while the server reads the form.
  document.addEventListener('submit', () => load(['errors'])?.catch(() => {}), { once: true });
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <TranslationContext value={translation}>
          <LoadTextsContext value={load}>
            <DocumentContext value={facts}>
              <HydratedRouter />
            </DocumentContext>
          </LoadTextsContext>
        </TranslationContext>
      </StrictMode>,
    );
  });
}

void hydrate();
