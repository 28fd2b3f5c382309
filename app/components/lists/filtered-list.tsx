import type { ReactNode } from 'react';
import { Form } from 'react-router';
import { DateRange } from '#app/components/dates/date-range.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { Exports } from '#app/components/lists/exports.tsx';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

type Presets = Parameters<typeof DateRange>[0]['presets'];

/** The filters of a list at `path`: its own, then the dates; the list can be exported as it is shown. */
export function ListFilters({
  path,
  shown,
  presets,
  children,
}: {
  path: string;
  shown: Record<string, string> & { from: string; to: string };
  presets: Presets;
  children: ReactNode;
}) {
  return (
    <Form className="filters" role="search" action={path}>
      {children}
      <DateRange key={`${shown.from} ${shown.to}`} from={shown.from} to={shown.to} presets={presets} />
      <Exports path={`${path}/export`} filters={shown} />
    </Form>
  );
}

export const isFiltered = (shown: Record<string, string>): boolean =>
  Object.values(shown).some((value) => value !== '');

/** Stands in place of rows that a filter leaves out. */
export function NoMatch({ path, title, children }: { path: string; title: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <EmptyState title={title} action={<ButtonLink to={path}>{t('items.showAll')}</ButtonLink>}>
      {children}
    </EmptyState>
  );
}
