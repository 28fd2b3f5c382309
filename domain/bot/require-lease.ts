import { and, eq, sql } from 'drizzle-orm';
import { type Answer, answered, type Database, type Tx } from '#db/database.ts';
import { locksNow, numberAt } from '#db/dialect.ts';
import { leases } from '#db/schema/lease.ts';
import { statement } from '#db/statement.ts';
import { isInForce, type Lease, leaseLock } from './take-leases.ts';

/** Thrown where a process writes for a part of the work that it has no longer. */
export class LeaseLost extends Error {
  constructor({ name, epoch }: Lease) {
    super(`the lease ${name} of epoch ${epoch} is lost`);
    this.name = 'LeaseLost';
  }
}

/** The lock comes first: without it the lease may be taken over between this look and the commit. */
const findHeld = statement('held_lease', (tx) =>
  tx
    .select({ name: leases.name })
    .from(leases)
    .where(
      and(
        eq(leases.name, sql.placeholder('name')),
        eq(leases.holder, sql.placeholder('holder')),
        sql`${leases.epoch} = ${numberAt('epoch')}`,
        sql`case when ${locksNow(leaseLock, 'shared')} then ${isInForce} else false end`,
      ),
    ),
);

/** Throws `LeaseLost` unless the lease is in force. If it is, nobody takes it over until the transaction ends. */
export const requireLease = (tx: Tx, { name, holder, epoch }: Lease): Answer<void> =>
  answered(findHeld(tx, { name, holder, epoch }), ({ length }) => {
    if (length === 0) throw new LeaseLost({ name, holder, epoch });
  });

/** The database for work under a lease: each transaction requires it at its begin, without a round trip of its own. */
export const underLease = (db: Database, lease: Lease): Database => ({
  ...db,
  transaction: (decide, options) =>
    db.transaction(decide, { ...options, first: (tx) => requireLease(tx, lease) } as typeof options),
});
