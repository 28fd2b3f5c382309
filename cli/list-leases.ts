import type { Database } from '#db/database.ts';
import { listLeases } from '#domain/bot/list-leases.ts';

interface Given {
  db: Pick<Database, 'read'>;
  print(line: string): void;
}

/** Prints which process does which part of the bot's work, since when, and when another takes over. */
export async function runLeases({ db, print }: Given): Promise<boolean> {
  const listed = await listLeases(db.read);
  if (listed.length === 0) print('No bot has run with this database.');
  for (const { name, holder, epoch, takenAtMs, leftMs, address, version } of listed) {
    // A lease of a version that had none of them yet does not say more.
    const where = takenAtMs > 0 ? ` at ${address}, ${version}` : '';
    const since = takenAtMs > 0 ? ` since ${new Date(takenAtMs).toISOString()}` : '';
    print(
      leftMs > 0
        ? `${name}: ${holder}${where}, epoch ${epoch}${since}; free in ${Math.ceil(leftMs / 1000)} s unless it is renewed`
        : `${name}: nobody; the last epoch was ${epoch}`,
    );
  }
  return true;
}
