import { useLocation } from 'react-router';
import { Icon } from '#app/components/icons/icon.tsx';
import { Languages, Monitor, Moon, Sun } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { isLanguage, languageNames } from '#app/locales/languages.ts';
import { type Theme, useDocument } from './page-context.tsx';

/** The facts that the switches need: the page that they lead back to, and the theme. */
type SwitchFacts = { here: string; theme: Theme };

export function useSwitchFacts(): SwitchFacts {
  const { pathname, search } = useLocation();
  const { theme } = useDocument();
  return { here: `${pathname}${search}`, theme };
}

/**
 * A button that switches to the other language. It reloads the document, because the browser holds one language only.
 */
export function LanguageSwitch({ here, className }: SwitchFacts & { className?: string }) {
  const { language } = useTranslation();
  const other = isLanguage(language) && language === 'ru' ? 'en' : 'ru';
  return (
    <form method="post" action="/language" className={className}>
      <input type="hidden" name="to" value={here} />
      <button className="btn btn--quiet btn--small" name="language" value={other} lang={other} type="submit">
        <Icon of={Languages} />
        {languageNames[other]}
      </button>
    </form>
  );
}

const following: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const signs = { system: Monitor, light: Sun, dark: Moon };

/** A button that names the theme, and switches to the next one: system, light, dark. */
export function ThemeSwitch({ here, theme, className }: SwitchFacts & { className?: string }) {
  const { t } = useTranslation();
  return (
    <form method="post" action="/theme" className={className}>
      <input type="hidden" name="to" value={here} />
      <button className="btn btn--quiet btn--small" name="theme" value={following[theme]} type="submit">
        <Icon of={signs[theme]} />
        <span className="vh">{t('shell.theme.label')}: </span>
        {t(`shell.theme.${theme}`)}
      </button>
    </form>
  );
}

/** Both switches, in a box. */
export function Switches({ className }: { className: string }) {
  const facts = useSwitchFacts();
  return (
    <div className={className}>
      <LanguageSwitch {...facts} />
      <ThemeSwitch {...facts} />
    </div>
  );
}
