import { createInstance } from 'i18next';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { I18nextProvider, initReactI18next } from 'react-i18next';
import { HydratedRouter } from 'react-router/dom';
import { DocumentContext, isTheme } from './components/surroundings.tsx';
import { isLanguage, type Language } from './locales/languages.ts';
import { i18nOptions } from './locales/options.ts';

// The document says which language it was drawn in; only that one is loaded, and before hydration.
async function loadTranslation(language: Language) {
  if (language === 'ru') return (await import('./locales/ru.ts')).ru;
  return (await import('./locales/en.ts')).en;
}

async function hydrate() {
  const { lang, dataset } = document.documentElement;
  const language = isLanguage(lang) ? lang : 'en';
  const instance = createInstance({
    ...i18nOptions,
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: await loadTranslation(language) } },
  }).use(initReactI18next);
  await instance.init();
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
        <I18nextProvider i18n={instance}>
          <DocumentContext value={facts}>
            <HydratedRouter />
          </DocumentContext>
        </I18nextProvider>
      </StrictMode>,
    );
  });
}

void hydrate();
