// The types of a table whose states nobody can filter by with a bound parameter.
import type { BuildColumns, BuildExtraConfigColumns } from 'drizzle-orm';
import type {
  PgColumn,
  PgColumnBuilderBase,
  PgTable,
  PgTableExtraConfigValue,
  PgTableWithColumns,
} from 'drizzle-orm/pg-core';

declare const readFromColumn: unique symbol;
/** A state as a query reads it. A plain name is not one, so drizzle's `eq`, `ne` and `inArray` do not accept it. */
type ReadState<Name> = Name & { readonly [readFromColumn]: true };

type StateColumn<C> =
  C extends PgColumn<infer Config, infer Runtime, infer Type>
    ? PgColumn<Omit<Config, 'data'> & { data: ReadState<Config['data']> }, Runtime, Type>
    : never;

type Columns = Record<string, PgColumnBuilderBase>;
type PlainTable<N extends string, C extends Columns> = PgTableWithColumns<{
  name: N;
  schema: undefined;
  columns: BuildColumns<N, C, 'pg'>;
  dialect: 'pg';
}>;
type Guarded<T extends PgTable> = PgTable<T['_']['config']> & {
  [K in keyof T['_']['columns']]: K extends 'state'
    ? StateColumn<T['_']['columns'][K]>
    : T['_']['columns'][K];
};

/**
 * Builds a table whose `state` is filtered by `is` and `within` alone. SQLite considers a partial index only when the
 * query repeats its predicate literally: a bound state scans the table, and grows slower with its history.
 */
export type TableBuilder = <N extends string, C extends Columns>(
  name: N,
  columns: C,
  extra?: (self: BuildExtraConfigColumns<N, C, 'pg'>) => PgTableExtraConfigValue[],
) => Guarded<PlainTable<N, C>>;
