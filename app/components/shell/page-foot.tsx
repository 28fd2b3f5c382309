import type { ReactNode } from 'react';
import { useTranslation } from '#app/components/text/translation.tsx';
import { footLinks } from '#app/menu.ts';
import { Link } from './link.tsx';

function FootLinks() {
  const { t } = useTranslation();
  return (
    <>
      <ul className="line">
        {footLinks.map(({ to, label }) => (
          <li key={to}>
            <Link to={to}>{t(label)}</Link>
          </li>
        ))}
      </ul>
      <span className="faint">{t('shell.notAffiliated')}</span>
    </>
  );
}

/** The footer of every page; some have more in it. */
export function PageFoot({ className, children }: { className: string; children?: ReactNode }) {
  return (
    <footer className={className}>
      <div className="wrap line between">
        <FootLinks />
      </div>
      {children}
    </footer>
  );
}
