import pg from 'pg';

/** Asks a database over a connection of its own. */
export async function askPostgres<Row extends pg.QueryResultRow>(url: string, query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A connection that breaks fails the query, too.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<Row>(query).finally(() => client.end());
  return rows;
}
