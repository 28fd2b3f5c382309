import type { ReactNode } from 'react';
import { Form, useLocation, useSearchParams } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';
import { ArrowLeft, ArrowRight, CloudOff, Inbox, RefreshCw } from '#app/components/icons/signs.ts';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

type BlankProps = { title: string; icon?: Sign; children?: ReactNode; action?: ReactNode };

/** An empty list: a description of its future content, and the next step. */
export function EmptyState({ title, icon = Inbox, children, action }: BlankProps) {
  return (
    <div className="sheet blank">
      <Icon of={icon} size="large" />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A list that could not be loaded: its name, the reason, and a retry that works without JavaScript. */
export function Unavailable({ title, children }: { title: ReactNode; children?: ReactNode }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [query] = useSearchParams();
  return (
    <div className="sheet blank" role="alert">
      <Icon of={CloudOff} size="large" />
      <h2>{title}</h2>
      <p>{children ?? t('errors.unavailable.reason')}</p>
      <Form action={pathname}>
        {[...query].map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <button className="btn btn--secondary" type="submit">
          <Icon of={RefreshCw} />
          {t('common.retry')}
        </button>
      </Form>
    </div>
  );
}

/** Placeholder rows while a list loads. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  const { t } = useTranslation();
  return (
    <div className="sheet rows" aria-busy="true">
      <span className="vh" role="status">
        {t('common.loading')}
      </span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have no other name.
        <div className="sheet__pad item" key={row}>
          <span className="skeleton skeleton--thumb" />
          <span className="stack stack-2 grow">
            <span className="skeleton skeleton--60" />
            <span className="skeleton skeleton--35" />
          </span>
        </div>
      ))}
    </div>
  );
}

/** The address remembers this many earlier pages; further back there is only the first page. */
const MAX_TRAIL = 10;

/**
 * Links to the next and the previous page of a list. Cursors only lead forward, so the address keeps the cursors of
 * earlier pages.
 */
export function usePages(parameter: string) {
  const [query] = useSearchParams();
  const trailName = `${parameter}-trail`;
  const cursor = query.get(parameter);
  const trail = query.getAll(trailName);
  const to = (page: string | null, came: readonly string[]) => {
    const changed = new URLSearchParams(query);
    changed.delete(trailName);
    if (page === null) changed.delete(parameter);
    else changed.set(parameter, page);
    for (const each of came.slice(-MAX_TRAIL)) changed.append(trailName, each);
    return `?${changed}`;
  };
  return {
    next: (page: string) => to(page, cursor === null ? [] : [...trail, cursor]),
    previous: cursor === null ? null : to(trail.at(-1) ?? null, trail.slice(0, -1)),
    leadsToFirst: trail.length === 0,
  };
}

type PaginationProps = {
  /** The cursor of the next page, or null on the last one. */
  next: string | null;
  /** A line about the position: "18 of 27 kinds". */
  children?: ReactNode;
  parameter?: string;
};

/** Links to the next page and back to the first. The address keeps its filters. */
export function Pagination({ next, children, parameter = 'after' }: PaginationProps) {
  const { t } = useTranslation();
  const pages = usePages(parameter);
  if (next === null && pages.previous === null)
    return children ? <p className="s13 faint mt-6">{children}</p> : null;
  return (
    <nav className="line between mt-6" aria-label={t('common.pages')}>
      <span className="s13 faint">{children}</span>
      <span className="line line-tight">
        {pages.previous !== null && (
          <Link className="btn btn--quiet" to={pages.previous}>
            <Icon of={ArrowLeft} />
            {t(pages.leadsToFirst ? 'common.first' : 'common.previous')}
          </Link>
        )}
        {next !== null && (
          <ButtonLink to={pages.next(next)}>
            {t('common.next')}
            <Icon of={ArrowRight} />
          </ButtonLink>
        )}
      </span>
    </nav>
  );
}

/** Says whether the page updates live. Empty without JavaScript. */
export function Live({ on, children }: { on: boolean; children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <span className={on ? 'live live--on' : 'live'}>
      {children ?? t(on ? 'common.online' : 'common.offline')}
    </span>
  );
}

/** The indicator of a page that updates live. Its space is reserved, so that nothing shifts when it appears. */
export function LiveMark({ live }: { live: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={live ? undefined : 'unseen'}>
      <Live on>{t('common.live')}</Live>
    </span>
  );
}
