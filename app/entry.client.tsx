import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';
import { DocumentContext, isTheme } from './components/surroundings.tsx';
import './islands/consent-banner.ts';
import { TranslationContext } from './components/translation.tsx';
import { isLanguage, type Language } from './locales/languages.ts';
import { createTranslation } from './locales/translation.ts';

// The document says which language it was drawn in; only that one is loaded, and before hydration.
async function loadTranslation(language: Language) {
  if (language === 'ru') return (await import('./locales/ru.ts')).ru;
  return (await import('./locales/en.ts')).en;
}

async function hydrate() {
  const { lang, dataset } = document.documentElement;
  const language = isLanguage(lang) ? lang : 'en';
  const translation = createTranslation(language, await loadTranslation(language));
  const facts = {
    // Browsers hide the attribute from style sheets, but tell the property to our own scripts.
    nonce: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '',
    theme: isTheme(dataset.theme) ? dataset.theme : ('system' as const),
    requestId: dataset.request ?? '',
  };
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <TranslationContext value={translation}>
          <DocumentContext value={facts}>
            <HydratedRouter />
          </DocumentContext>
        </TranslationContext>
      </StrictMode>,
    );
  });
}

void hydrate();
