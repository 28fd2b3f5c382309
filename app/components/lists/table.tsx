import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronRight } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';

export type Column<Row> = {
  key: string;
  /** The column's heading, which also labels its cell where rows are cards. */
  label: string;
  /** Draws the cell; null is drawn as a faint dash. */
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
  /** A self-explanatory cell, such as a button, has no label on a card. */
  unnamed?: boolean;
  /** A cell that needs no label on a card, such as an item, although its column has a heading. */
  plain?: boolean;
};

type Props<Row> = {
  /** The table's accessible name. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  /** Keeps numbers side by side on small screens. */
  stats?: boolean;
  /** A variant of the rows' style; see ledger.css. */
  className?: string;
  /** Groups consecutive rows under a heading. */
  groupOf?: (row: Row) => Group;
};

type Group = { key: string; label: ReactNode };

/** Consecutive rows with a heading. */
function groupsOf<Row>(
  rows: readonly Row[],
  groupOf: Props<Row>['groupOf'],
): { group: Group | null; rows: Row[] }[] {
  if (!groupOf) return [{ group: null, rows: [...rows] }];
  const groups: { group: Group; rows: Row[] }[] = [];
  for (const row of rows) {
    const group = groupOf(row);
    const last = groups.at(-1);
    if (last?.group.key === group.key) last.rows.push(row);
    else groups.push({ group, rows: [row] });
  }
  return groups;
}

function Cells<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return columns.map(({ key, label, cell, numeric, unnamed, plain }) => {
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
  });
}

/** A table. Where it has less than 680 px, each row is a card with labelled cells. */
export function Table<Row>(props: Props<Row>) {
  const { caption, columns, rows, rowKey, stats = false, className, groupOf } = props;
  const classes = ['table table--cards', stats ? 'table--stats' : '', className ?? ''];
  return (
    <table className={classes.filter((name) => name !== '').join(' ')}>
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
      {groupsOf(rows, groupOf).map(({ group, rows: members }) => (
        <tbody key={group?.key ?? 'rows'}>
          {group && (
            <tr>
              <th className="table__group" colSpan={columns.length} scope="rowgroup">
                {group.label}
              </th>
            </tr>
          )}
          {members.map((row) => (
            <tr key={rowKey(row)}>
              <Cells row={row} columns={columns} />
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** Details that not everybody needs, collapsed: by default a chart's numbers as a table. */
export function Twin({
  label,
  isOpen = false,
  children,
}: {
  label?: string;
  isOpen?: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <details className="twin" open={isOpen}>
      <summary>
        <Icon of={ChevronRight} size="small" />
        {label ?? t('common.asTable')}
      </summary>
      {children}
    </details>
  );
}
