import { useTranslation } from '#app/components/text/translation.tsx';
import { footLinks } from '#app/menu.ts';
import { Link } from './link.tsx';
import { Still } from './still.tsx';

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

/** The footer of every page. */
export function PageFoot({ className }: { className: string }) {
  return (
    <footer className={className}>
      <Still className="wrap line between" of={FootLinks} facts={{}} />
    </footer>
  );
}
