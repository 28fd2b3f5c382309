import type { Database } from '#db/database.ts';
import { type ListedLease, listLeases } from '#domain/bot/list-leases.ts';
import type { LeaseName } from '#domain/bot/take-leases.ts';
import { SLOTS, slotNames } from '#domain/bot/take-slots.ts';

interface Given {
  db: Pick<Database, 'read'>;
  print(line: string): void;
}

/** Prints which process does which part of the bot's work, since when, and when another takes over. */
export async function runLeases({ db, print }: Given): Promise<boolean> {
  const listed = await listLeases(db.read);
  if (listed.length === 0) print('No bot has run with this database.');
  const isSlot = ({ name }: ListedLease) => slotNames.includes(name as LeaseName);
  for (const { name, holder, epoch, takenAtMs, leftMs, address, version } of listed.filter(
    (lease) => !isSlot(lease),
  )) {
    // A lease of a version that had none of them yet does not say more.
    const where = takenAtMs > 0 ? ` at ${address}, ${version}` : '';
    const since = takenAtMs > 0 ? ` since ${new Date(takenAtMs).toISOString()}` : '';
    print(
      leftMs > 0
        ? `${name}: ${holder}${where}, epoch ${epoch}${since}; free in ${Math.ceil(leftMs / 1000)} s unless it is renewed`
        : `${name}: nobody; the last epoch was ${epoch}`,
    );
  }
  for (const [holder, amount] of countByHolder(listed.filter(isSlot)))
    print(`chats: ${amount} of ${SLOTS} shares of the channels are read by ${holder}`);
  return true;
}

/** Counts slots by their process, in the words of a line. */
function countByHolder(slots: readonly ListedLease[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { holder, leftMs, address, version } of slots) {
    const who = leftMs > 0 ? `${holder} at ${address}, ${version}` : 'nobody';
    counts.set(who, (counts.get(who) ?? 0) + 1);
  }
  return counts;
}
