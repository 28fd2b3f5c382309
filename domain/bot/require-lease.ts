import { and, eq, sql } from 'drizzle-orm';
import { type Answer, answered, type Database, type Tx } from '#db/database.ts';
import { bigint, databaseTime, isAmong, locksNow, numberAt } from '#db/dialect.ts';
import { leases } from '#db/schema/lease.ts';
import { statement } from '#db/statement.ts';
import { isInForce, LEASE_MS, type Lease, leaseLock } from './take-leases.ts';

/** Thrown where a process writes for a part of the work that it has no longer. */
export class LeaseLost extends Error {
  constructor({ name, epoch }: Lease) {
    super(`the lease ${name} of epoch ${epoch} is lost`);
    this.name = 'LeaseLost';
  }
}

/** The lock comes first: without it the lease may be taken over between this look and the commit. */
const isStillHeld = sql`case when ${locksNow(leaseLock, 'shared')} then ${isInForce} else false end`;

const findHeld = statement('held_lease', (tx) =>
  tx
    .select({ name: leases.name })
    .from(leases)
    .where(
      and(
        eq(leases.name, sql.placeholder('name')),
        eq(leases.holder, sql.placeholder('holder')),
        sql`${leases.epoch} = ${numberAt('epoch')}`,
        isStillHeld,
      ),
    ),
);

const listHeld = statement('held_leases', (tx) =>
  tx
    .select({ name: leases.name, epoch: leases.epoch })
    .from(leases)
    .where(
      and(
        isAmong(leases.name, sql.placeholder('names')),
        eq(leases.holder, sql.placeholder('holder')),
        isStillHeld,
      ),
    ),
);

/**
 * Puts a lease in force again that has lapsed, if nobody else has had it since. An update, because it looks at the row as
 * it is once the lock is there.
 */
const healLapse = statement('lease_healed', (tx) =>
  tx
    .update(leases)
    .set({ untilMs: sql`${databaseTime} + ${bigint(LEASE_MS)}` })
    .where(
      and(
        eq(leases.name, sql.placeholder('name')),
        eq(leases.holder, sql.placeholder('holder')),
        sql`${leases.epoch} = ${numberAt('epoch')}`,
        locksNow(leaseLock, 'shared'),
      ),
    )
    .returning({ name: leases.name }),
);

const heal = (tx: Tx, { name, holder, epoch }: Lease): Answer<void> =>
  answered(healLapse(tx, { name, holder, epoch }), ({ length }) => {
    if (length === 0) throw new LeaseLost({ name, holder, epoch });
  });

/**
 * Throws `LeaseLost` if another process has had the lease since. Otherwise nobody takes it over until the transaction
 * ends; one that has lapsed meanwhile is in force again.
 */
export const requireLease = (tx: Tx, lease: Lease): Answer<void> => {
  const { name, holder, epoch } = lease;
  return answered(findHeld(tx, { name, holder, epoch }), ({ length }): Answer<void> => {
    if (length === 0) return heal(tx, lease);
  }) as Answer<void>;
};

/** Like `requireLease` for several leases of one holder, by one statement. */
export function requireLeases(tx: Tx, required: readonly Lease[]): Answer<void> {
  const [first, ...others] = required;
  if (!first) return;
  if (others.length === 0) return requireLease(tx, first);
  const names = JSON.stringify(required.map(({ name }) => name));
  return answered(listHeld(tx, { names, holder: first.holder }), (held): Answer<void> => {
    const epochs = new Map(held.map(({ name, epoch }) => [name, epoch]));
    const lapsed = required.filter(({ name, epoch }) => epochs.get(name) !== epoch);
    if (lapsed.length > 0) return healAll(tx, lapsed);
  }) as Answer<void>;
}

async function healAll(tx: Tx, lapsed: readonly Lease[]): Promise<void> {
  for (const lease of lapsed) await heal(tx, lease);
}

/** The database for work under leases: each transaction requires them at its begin, without a round trip of its own. */
export const underLease = (db: Database, ...required: readonly Lease[]): Database => ({
  ...db,
  transaction: (decide, options) =>
    db.transaction(decide, { ...options, first: (tx) => requireLeases(tx, required) } as typeof options),
});
