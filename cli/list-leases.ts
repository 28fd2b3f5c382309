import type { Database } from '#db/database.ts';
import { type ListedWork, listWork } from '#domain/bot/list-work.ts';

interface Given {
  db: Pick<Database, 'read'>;
  print(line: string): void;
}

/** Prints which process does which part of the bot's work, since when, and who takes over when. */
export async function runLeases({ db, print }: Given): Promise<boolean> {
  const listed = await listWork(db.read);
  if (listed.length === 0) print('No bot has run with this database.');
  for (const work of listed) print(describeWork(work));
  return true;
}

/** One line for the work of a kind that a process does, or that nobody does. */
export function describeWork(work: ListedWork): string {
  const { holder, sinceMs, leftMs, address, version, lowestEpoch, highestEpoch, heirs } = work;
  const isOneEpoch = lowestEpoch === highestEpoch;
  const epochs = isOneEpoch ? `${highestEpoch}` : `${lowestEpoch}–${highestEpoch}`;
  if (holder === null)
    return `${nameOf(work)}: nobody; the last ${isOneEpoch ? 'epoch was' : 'epochs were'} ${epochs}`;
  // A lease of a version that had none of them yet does not say more.
  const where = sinceMs > 0 ? ` at ${address}, ${version}` : '';
  const since = sinceMs > 0 ? ` since ${new Date(sinceMs).toISOString()}` : '';
  const heir = heirs.length > 0 ? `, then for ${heirs.join(' or ')}` : '';
  return `${nameOf(work)}: ${holder}${where}, ${isOneEpoch ? 'epoch' : 'epochs'} ${epochs}${since}; free in ${Math.ceil(leftMs / 1000)} s unless ${work.leases === 1 ? 'it is' : 'they are'} renewed${heir}`;
}

const nameOf = ({ kind, places, leases }: ListedWork): string => {
  if (kind === 'slots') return `chats (${leases === 1 ? 'slot' : 'slots'} ${places})`;
  return places === '' ? kind : `${kind} (${places})`;
};
