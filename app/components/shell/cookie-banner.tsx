import { Button } from '#app/components/forms/button.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

function Consent() {
  const { t } = useTranslation();
  return (
    <>
      <div>
        <b id="consent-title">{t('cookie_consent.title')}</b>
        <p className="s13 muted">
          {t('cookie_consent.description')} <a href="/cookie_policy">{t('cookie_consent.learn_more')}</a>
        </p>
      </div>
      <div className="line">
        <button type="button" className="btn btn--secondary" value="essential">
          {t('cookie_consent.essential_only')}
        </button>
        <button type="button" className="btn btn--secondary" value="all">
          {t('cookie_consent.accept_all')}
        </button>
      </div>
    </>
  );
}

/** Asks which cookies may be set. A script of its own shows it and stores the answer. */
export function CookieBanner() {
  return (
    <consent-banner
      class="consent"
      role="region"
      aria-labelledby="consent-title"
      tabIndex={-1}
      hidden
      suppressHydrationWarning
    >
      <div className="wrap consent__in">
        <Consent />
      </div>
    </consent-banner>
  );
}

/** The button that shows the banner again. */
export function CookieSettings() {
  const { t } = useTranslation();
  return (
    <consent-settings class="line" hidden suppressHydrationWarning>
      <Button type="button">{t('shell.cookieSettings')}</Button>
    </consent-settings>
  );
}
