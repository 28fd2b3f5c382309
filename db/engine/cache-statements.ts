/**
 * Hides bound values from SQLite's planner. SQLite prepares a statement again for each run if its plan may depend on a
 * bound value, such as a limit or the value of a comparison. That takes longer than running most of our statements. A plus
 * changes no value, and the planner does not look behind it: docs/decisions/019-plans-do-not-depend-on-values.md.
 */
export const hideValues = (source: string): string =>
  source.replaceAll(/(?<= (?:=|<>|<|<=|>|>=|like|limit|offset) )\?/g, '+?');

/**
 * Caches prepared statements: drizzle prepares every query again, and parsing SQL is a large part of a point query's
 * cost.
 */
export function cacheStatements<
  C extends { prepare(source: string): { reader: boolean; raw(on?: boolean): unknown } },
>(connection: C, max = 500): C {
  const prepared = new Map<string, ReturnType<C['prepare']>>();
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((source: string) => {
    const known = prepared.get(source);
    if (known) {
      if (known.reader) known.raw(false);
      return known;
    }
    const statement = prepare(hideValues(source)) as ReturnType<C['prepare']>;
    prepared.set(source, statement);
    const oldest = prepared.keys().next().value;
    if (prepared.size > max && oldest !== undefined) prepared.delete(oldest);
    return statement;
  }) as C['prepare'];
  return connection;
}
