import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronRight } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';

export type Column<Row> = {
  key: string;
  /** The head of the column, and the name of its cell where rows are cards. */
  label: string;
  /** A number that is null stands for nothing, and is drawn as a faint dash. */
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
  /** A self-explanatory cell, such as a button, has no label on a card. */
  unnamed?: boolean;
  /** What names itself on a card, such as an item, though its column has a head. */
  plain?: boolean;
};

type Props<Row> = {
  /** What the table holds, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  /** Keeps numbers side by side on small screens. */
  stats?: boolean;
};

/** A table; below 700 px every row is a card whose cells name themselves. */
export function Table<Row>({ caption, columns, rows, rowKey, stats = false }: Props<Row>) {
  return (
    <table className={stats ? 'table table--cards table--stats' : 'table table--cards'}>
      <caption className="vh">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ key, label, numeric, unnamed }) => (
            <th key={key} scope="col" className={numeric ? 'num' : undefined}>
              {unnamed ? <span className="vh">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ key, label, cell, numeric, unnamed, plain }) => {
              const content = cell(row);
              const isNothing = numeric && content === null;
              return (
                <td
                  key={key}
                  data-label={unnamed || plain ? undefined : label}
                  className={isNothing ? 'num faint' : numeric ? 'num' : undefined}
                >
                  {isNothing ? '–' : content}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The same numbers as a chart shows, folded away below it. */
export function Twin({ label, children }: { label?: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <details className="twin">
      <summary>
        <Icon of={ChevronRight} size="small" />
        {label ?? t('common.asTable')}
      </summary>
      {children}
    </details>
  );
}
