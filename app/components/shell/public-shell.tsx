import type { ReactNode } from 'react';
import { useTranslation } from '#app/components/text/translation.tsx';
import { accountMenu, entrance, siteLinks } from '#app/menu.ts';
import { Brand } from './brand.tsx';
import { Link } from './link.tsx';
import { usePageContext } from './page-context.tsx';
import { PageFoot } from './page-foot.tsx';
import { LanguageSwitch, ThemeSwitch, useSwitchFacts } from './preference-switches.tsx';

/** The layout of pages that need no account: bar, content, footer. */
export function PublicShell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { user } = usePageContext();
  const switches = useSwitchFacts();
  const home = accountMenu[0];
  return (
    <div className="public">
      <a className="vh" href="#main">
        {t('shell.skip')}
      </a>
      <div className="wrap">
        <header className="site-bar">
          <Brand />
          <nav aria-label={t('shell.site')}>
            {siteLinks.map(({ to, label }) => (
              <Link key={to} to={to}>
                {t(label)}
              </Link>
            ))}
          </nav>
          <span className="site-bar__end">
            <LanguageSwitch {...switches} />
            <ThemeSwitch {...switches} className="only-wide" />
            {user && home && (
              <Link className="btn btn--secondary" to={home.to} title={user.name}>
                <span className="short">{user.name}</span>
              </Link>
            )}
            {!user && entrance.signin && (
              <Link className="btn btn--quiet" to={entrance.signin.to}>
                {t(entrance.signin.label)}
              </Link>
            )}
            {!user && entrance.signup && (
              <Link className="btn btn--secondary site-bar__join" to={entrance.signup.to}>
                {t(entrance.signup.label)}
              </Link>
            )}
          </span>
        </header>
      </div>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <PageFoot className="site-foot">
        {/* On phones the bar has no room for it. */}
        <div className="wrap site-foot__language">
          <LanguageSwitch {...switches} />
        </div>
      </PageFoot>
    </div>
  );
}
