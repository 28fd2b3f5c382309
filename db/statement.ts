import { connectionOf, type Reader, type Tx } from './database.ts';
import { quickStatement } from './quick-statement.ts';

interface Prepared<R> {
  execute(values: Record<string, unknown>): Promise<R>;
}
interface Preparable<R> {
  prepare(name: string): Prepared<R>;
}

let statements = 0;

/**
 * A query with `sql.placeholder(name)` values, built once per connection: building SQL text costs more than running a
 * point query. On PostgreSQL each connection prepares it under the same name.
 */
export function statement<Values extends Record<string, unknown>, R>(
  name: string,
  build: (q: Tx) => Preparable<R>,
): (q: Reader | Tx, values: Values) => Promise<R> {
  const preparedName = `${name}_${++statements}`;
  const built = new WeakMap<object, (values: Values) => R | Promise<R>>();
  return async (q, values) => {
    const connection = (q as unknown as Record<symbol, object>)[connectionOf] ?? q;
    let run = built.get(connection);
    if (!run) {
      const prepared = build(connection as Tx).prepare(preparedName);
      const quick = quickStatement(prepared) as ((given: Values) => R | Promise<R>) | null;
      run = quick ?? ((given) => prepared.execute(given));
      built.set(connection, run);
    }
    return run(values);
  };
}
