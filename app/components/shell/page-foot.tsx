import { useTranslation } from '#app/components/text/translation.tsx';
import { footLinks } from '#app/menu.ts';
import { Link } from './link.tsx';

/** The footer of every page. */
export function PageFoot({ className }: { className: string }) {
  const { t } = useTranslation();
  return (
    <footer className={className}>
      <div className="wrap line between">
        <ul className="line">
          {footLinks.map(({ to, label }) => (
            <li key={to}>
              <Link to={to}>{t(label)}</Link>
            </li>
          ))}
        </ul>
        <span className="faint">{t('shell.notAffiliated')}</span>
      </div>
    </footer>
  );
}
