// Table types that prevent filtering a state by a bound parameter.
import type { BuildColumns, BuildExtraConfigColumns } from 'drizzle-orm';
import type {
  alias,
  PgColumn,
  PgColumnBuilderBase,
  PgTable,
  PgTableExtraConfigValue,
  PgTableWithColumns,
} from 'drizzle-orm/pg-core';

declare const readFromColumn: unique symbol;
/**
 * A state or kind as read by a query. Plain strings lack the brand, so drizzle's `eq`, `ne` and `inArray` do not accept them.
 */
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
/** Columns that partial indexes name; one of them without a closed list of values stays as it is. */
type Guard<K, C> = K extends 'state' | 'kind'
  ? C extends { _: { data: infer Data } }
    ? string extends Data
      ? C
      : StateColumn<C>
    : C
  : C;
type Guarded<T extends PgTable> = PgTable<T['_']['config']> & {
  [K in keyof T['_']['columns']]: Guard<K, T['_']['columns'][K]>;
};

/**
 * Builds a table whose `state` and `kind` can only be filtered with `is` and `within`. SQLite uses a partial index only if the
 * query repeats its predicate literally; with a bound one it would scan the whole table.
 */
export type TableBuilder = <N extends string, C extends Columns>(
  name: N,
  columns: C,
  extra?: (self: BuildExtraConfigColumns<N, C, 'pg'>) => PgTableExtraConfigValue[],
) => Guarded<PlainTable<N, C>>;

/** Names a table once more, with the same guard. */
export type AliasBuilder = <T extends PgTable, N extends string>(
  table: T,
  name: N,
) => Guarded<ReturnType<typeof alias<T, N>>>;
