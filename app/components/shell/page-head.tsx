import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronRight } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Link } from './link.tsx';
import { PageTitle } from './page-title.tsx';

export type Crumb = { to: string; label: string };

/** The breadcrumbs: the pages above this one, and its own name. */
export function Crumbs({ above, here }: { above: readonly Crumb[]; here: string }) {
  const { t } = useTranslation();
  return (
    <nav className="crumbs" aria-label={t('common.breadcrumb')}>
      {above.map(({ to, label }) => (
        <span className="line line-tight" key={to}>
          <Link to={to}>{label}</Link>
          <Icon of={ChevronRight} />
        </span>
      ))}
      <span aria-current="page">{here}</span>
    </nav>
  );
}

type Props = {
  title: string;
  /** The page's subject, for browsers and search engines. */
  description?: string;
  lede?: ReactNode;
  above?: readonly Crumb[];
  /** Buttons at the end of the header; at most one is primary. */
  actions?: ReactNode;
};

/** A page's header: its name (also the document's title), an introduction, and actions. */
export function PageHead({ title, description, lede, above, actions }: Props) {
  return (
    <div className="page-head">
      <div>
        <PageTitle {...(description && { description })}>{title}</PageTitle>
        {above && <Crumbs above={above} here={title} />}
        <h1>{title}</h1>
        {lede && <p className="lede">{lede}</p>}
      </div>
      {actions && <div className="line">{actions}</div>}
    </div>
  );
}

/** The header of a section. */
export function SectionHead({ title, aside }: { title: ReactNode; aside?: ReactNode }) {
  return (
    <div className="section-head">
      <h2>{title}</h2>
      {aside}
    </div>
  );
}
