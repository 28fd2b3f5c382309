import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import type { BotDeps } from '#bot/deps.ts';
import { HELD_MS, type HeldLease, type LeasedDeps } from '#bot/leases.ts';
import type { Database } from '#db/database.ts';
import { bigint, databaseTime } from '#db/dialect.ts';
import { newestKnownStep } from '#db/migrate.ts';
import { leases } from '#db/schema/lease.ts';
import { underLease } from '#domain/bot/require-lease.ts';
import { type Holder, isInForce, type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { announceProcess } from '#domain/process/announce-process.ts';

/** A process as it takes leases. */
export const holderNamed = (holder: string): Holder => ({
  holder,
  address: `http://${holder}:3001`,
  version: '1.2.3',
});

/** Lets a bot process say that it runs, with all roles unless some are named. */
export const announceBotNamed = (
  db: Database,
  name: string,
  roles = 'steam,twitch,housekeeping',
): Promise<unknown> => {
  const { holder, address, version } = holderNamed(name);
  return announceProcess(db, { id: holder, role: 'bot', version, schema: newestKnownStep(), roles, address });
};

/** Sets when leases end, as if time had passed, which their holders do not notice: the database's clock cannot be moved. */
export const endLeases = (
  db: Database,
  names: readonly LeaseName[],
  untilMs: number | SQL = 1,
): Promise<unknown> =>
  db.transaction((tx) =>
    tx
      .update(leases)
      .set({ untilMs })
      .where(inArray(leases.name, [...names]))
      .returning(),
  );

/** Ends all leases as if their time had passed. */
export const endAllLeases = (db: Database): Promise<unknown> =>
  db.transaction((tx) => tx.update(leases).set({ untilMs: 1 }).returning());

/** Lets a process hold these parts for a minute. */
export async function occupyLeases(db: Database, names: readonly LeaseName[]): Promise<void> {
  await takeLeases(db, holderNamed('another'), names);
  await endLeases(db, names, sql`${databaseTime} + ${bigint(minute)}`);
}

/** A lease that a part holds for as long as the test wants, without a row; its transactions do not ask for it. */
export function heldLease(store: Database, facts: Partial<HeldLease> = {}): HeldLease {
  const leftMs = facts.leftMs ?? (() => HELD_MS);
  const lease = { name: 'steam', holder: 'test', epoch: 1, store } as const;
  return { isLost: () => false, ...lease, ...facts, leftMs, isHeld: () => leftMs() > 0 };
}

/** Takes a lease that lasts until the test ends it, and that each transaction of the part then requires as in a process. */
export async function underRealLease(deps: BotDeps, name: LeaseName): Promise<LeasedDeps> {
  const { db } = deps;
  const [taken] = await takeLeases(db, holderNamed('tested'), [name]);
  if (!taken) throw new Error(`another process has ${name}`);
  const prolong = () =>
    db.transaction((tx) =>
      tx
        .update(leases)
        .set({ untilMs: sql`${databaseTime} + ${bigint(minute)}` })
        .where(and(eq(leases.name, name), isInForce))
        .returning(),
    );
  await prolong();
  const renewal = setInterval(() => void prolong().catch(() => {}), 15 * second);
  onTestFinished(() => clearInterval(renewal));
  return { ...deps, db: underLease(db, taken), lease: heldLease(db, taken) };
}
