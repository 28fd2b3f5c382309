import { quickStatement } from '#db/engine/quick-statement.ts';
import type { Answer, Reader, Tx } from './database.ts';

interface Prepared<R> {
  execute(values: Record<string, unknown>): Promise<R>;
}
interface Preparable<R> {
  prepare(name: string): Prepared<R>;
}

/** Identifies the connection behind a revocable transaction, so that statements built for it can be reused. */
export const connectionOf = Symbol('connection');

/** Names a handle as the one that statements are built for, also where it is passed on as a revocable transaction. */
export const named = <Q extends object>(q: Q): Q => Object.assign(q, { [connectionOf]: q });

/** Marks a connection on which statements are prepared without a name, each time they are run. */
export const withoutNames = Symbol('without names');

let statements = 0;

/**
 * A query with `sql.placeholder(name)` values, built once per connection: building SQL text costs more than running a
 * point query. On PostgreSQL each connection prepares it under the same name, unless a pooler hands connections around.
 */
export function statement<Values extends Record<string, unknown>, R>(
  name: string,
  build: (q: Tx) => Preparable<R>,
): (q: Reader | Tx, values: Values) => Answer<R> {
  const preparedName = `${name}_${++statements}`;
  const built = new WeakMap<object, (values: Values) => Answer<R>>();
  return (q, values) => {
    const connection = (q as unknown as Record<symbol, object>)[connectionOf] ?? q;
    let run = built.get(connection);
    if (!run) {
      const isUnnamed = (connection as Record<symbol, unknown>)[withoutNames] === true;
      const prepared = build(connection as Tx).prepare(isUnnamed ? '' : preparedName);
      const quick = quickStatement(prepared) as ((given: Values) => Answer<R>) | null;
      run = quick ?? ((given) => prepared.execute(given));
      built.set(connection, run);
    }
    return run(values);
  };
}
