import type { Client } from 'pg';

/**
 * Ends the limits on time that an operator set for requests, such as `statement_timeout`: for the rest of the transaction,
 * or of the session. They would end the copying or counting of a large database.
 */
export async function liftLimits(client: Client, until: 'transaction' | 'session'): Promise<void> {
  // Some versions lack some of them.
  await client.query(
    `select set_config(name, '0', $1) from pg_settings where name in
       ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`,
    [until === 'transaction'],
  );
}
