import { connectionOf, type Reader, type Tx } from './database.ts';
import { isPostgres } from './dialect.ts';

interface Prepared<R> {
  execute(values: Record<string, unknown>): Promise<R>;
}
interface Preparable<R> {
  prepare(name: string): Prepared<R>;
}

let statements = 0;

/** What a drizzle handle sends its queries over: on PostgreSQL a connection of the pool, or the pool itself. */
const clientOf = (q: Reader | Tx): object =>
  isPostgres
    ? (q as unknown as { session: { client: object } }).session.client
    : ((q as unknown as Record<symbol, object>)[connectionOf] ?? q);

/**
 * A query written once with `sql.placeholder(name)` and built once per connection: building SQL text costs more than
 * running it for a point query. On PostgreSQL each connection prepares it under the same name.
 */
export function statement<Values extends Record<string, unknown>, R>(
  name: string,
  build: (q: Tx) => Preparable<R>,
): (q: Reader | Tx, values: Values) => Promise<R> {
  const preparedName = `${name}_${++statements}`;
  const built = new WeakMap<object, Prepared<R>>();
  return async (q, values) => {
    const client = clientOf(q);
    let prepared = built.get(client);
    if (!prepared) {
      // On SQLite by the connection itself: the transaction that lends it to us is revoked at its end.
      prepared = build((isPostgres ? q : client) as Tx).prepare(preparedName);
      built.set(client, prepared);
    }
    return prepared.execute(values);
  };
}
