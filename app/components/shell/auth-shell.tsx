import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { Eye, ShieldCheck, Timer } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Brand } from './brand.tsx';
import { PageTitle } from './page-title.tsx';
import { Switches } from './preference-switches.tsx';

const promises = [
  { name: 'bar', icon: Eye },
  { name: 'deadline', icon: Timer },
  { name: 'code', icon: ShieldCheck },
] as const;

type Props = { title: string; lede?: ReactNode; children: ReactNode };

/** The layout of sign-up, sign-in and password pages: one form, and the promises of the product. */
export function AuthShell({ title, lede, children }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <a className="vh" href="#main">
        {t('shell.skip')}
      </a>
      <div className="auth">
        <main className="auth__form" id="main" tabIndex={-1}>
          <div className="stack stack-6">
            <div className="line between">
              <Brand />
              <Switches className="line line-tight" />
            </div>
            <div>
              <PageTitle>{title}</PageTitle>
              <h1>{title}</h1>
              {lede && <p className="muted mt-2">{lede}</p>}
            </div>
            {children}
          </div>
        </main>
        <aside className="auth__aside">
          <ItemArt icon={null} rarity="covert" shape="rifle" />
          <div className="stack stack-6">
            <h2>{t('auth.promise.heading')}</h2>
            <div className="stack stack-3">
              {promises.map(({ name, icon }) => (
                <div className="item" key={name}>
                  <Icon of={icon} className="accent" />
                  <span className="item__text">{t(`auth.promise.${name}`)}</span>
                </div>
              ))}
            </div>
          </div>
        </aside>
      </div>
    </>
  );
}
