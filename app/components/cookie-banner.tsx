import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { Button } from './button.tsx';
import { type ConsentType, consentAskedEvent, giveConsent, readConsent } from './consent.ts';
import { useTranslation } from './translation.tsx';

/** Asks once which cookies may be set. Without JavaScript nothing optional can load, and nothing is asked. */
export function CookieBanner() {
  const { t } = useTranslation();
  const [asks, setAsks] = useState(false);
  const [again, setAgain] = useState(false);
  const banner = useRef<HTMLElement>(null);
  useEffect(() => {
    const ask = () => {
      setAsks(true);
      setAgain(true);
    };
    window.addEventListener(consentAskedEvent, ask);
    return () => window.removeEventListener(consentAskedEvent, ask);
  }, []);
  useEffect(() => {
    // Who asked for it is led there; who did not goes on with the page.
    if (asks && again) banner.current?.focus();
  }, [asks, again]);
  useEffect(() => {
    try {
      setAsks(readConsent(localStorage, Date.now()) === null);
    } catch {
      // A browser that stores nothing for this site could only be asked on every page.
    }
  }, []);
  if (!asks) return null;
  const answer = (type: ConsentType) => {
    giveConsent(localStorage, window, type, Date.now());
    setAsks(false);
    setAgain(false);
  };
  return (
    <section className="consent" aria-labelledby="consent-title" ref={banner} tabIndex={-1}>
      <div className="wrap consent__in">
        <div>
          <b id="consent-title">{t('cookie_consent.title')}</b>
          <p className="s13 muted">
            {t('cookie_consent.description')}{' '}
            <Link to="/cookie_policy">{t('cookie_consent.learn_more')}</Link>
          </p>
        </div>
        <div className="line">
          <button type="button" className="btn btn--secondary" onClick={() => answer('essential')}>
            {t('cookie_consent.essential_only')}
          </button>
          <button type="button" className="btn btn--secondary" onClick={() => answer('all')}>
            {t('cookie_consent.accept_all')}
          </button>
        </div>
      </div>
    </section>
  );
}

/** Shows the banner again to who wants to choose anew. Without JavaScript nothing was chosen. */
export function CookieSettings() {
  const { t } = useTranslation();
  const [able, setAble] = useState(false);
  useEffect(() => setAble(true), []);
  if (!able) return null;
  return (
    <div className="line">
      <Button type="button" onClick={() => window.dispatchEvent(new Event(consentAskedEvent))}>
        {t('shell.cookieSettings')}
      </Button>
    </div>
  );
}
