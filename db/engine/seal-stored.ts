import { SEALED, type Seals, sealText } from './sealed-text.ts';

/** The sealed columns. Transfers whose offer is on Steam have no token any more. */
const columns = [
  { table: 'rules', key: 'id', column: 'seed' },
  { table: 'steam_accounts', key: 'steam_id', column: 'trade_token' },
  { table: 'transfers', key: 'id', column: 'trade_token' },
] as const;

/** Runs one statement and returns its rows. */
export interface RawConnection {
  dialect: 'sqlite' | 'postgres';
  /** Returns how the statement names its first, or second, value. */
  place(number: number): string;
  run(query: string, values: readonly (string | number)[]): unknown[] | Promise<unknown[]>;
}

const BATCH = 500;

/**
 * Seals text that earlier versions stored plain, in the caller's transaction. Each table is read once, in the
 * order of its key. Text that changed after it was read stays as it was changed.
 */
export async function sealStored({ place, run }: RawConnection, seals: Seals): Promise<void> {
  for (const { table, key: id, column } of columns) {
    const read = `select ${id} as key, ${column} as text from ${table} where ${id} > ${place(1)} and ${column} <> '' and ${column} not like '${SEALED}%' order by ${id} limit ${BATCH}`;
    const write = `update ${table} set ${column} = ${place(1)} where ${id} = ${place(2)} and ${column} = ${place(3)}`;
    for (let after = '', isLast = false; !isLast; ) {
      const rows = (await run(read, [after])) as { key: string; text: string }[];
      for (const { key, text } of rows)
        await run(write, [sealText(text, `${table}.${column}`, seals), key, text]);
      after = rows.at(-1)?.key ?? '';
      isLast = rows.length < BATCH;
    }
  }
}
