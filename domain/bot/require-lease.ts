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

/** Thrown where leases have lapsed that may still be the process's own: they are to be put in force first. */
class LeasesLapsed extends Error {
  readonly lapsed: readonly Lease[];

  constructor(lapsed: readonly Lease[]) {
    super('leases have lapsed');
    this.name = 'LeasesLapsed';
    this.lapsed = lapsed;
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

/**
 * Puts leases in force again that have lapsed, each in a transaction of its own: one that waited for a row of them while it
 * has another, or the lock of a channel, could wait for one that waits for it.
 */
async function heal(db: Database, lapsed: readonly Lease[]): Promise<void> {
  for (const { name, holder, epoch } of lapsed) {
    const healed = await db.heartbeat((tx) => healLapse(tx, { name, holder, epoch }));
    if (healed.length === 0) throw new LeaseLost({ name, holder, epoch });
  }
}

function requireLease(tx: Tx, lease: Lease): Answer<void> {
  const { name, holder, epoch } = lease;
  return answered(findHeld(tx, { name, holder, epoch }), ({ length }) => {
    if (length === 0) throw new LeasesLapsed([lease]);
  });
}

/** Throws `LeasesLapsed` unless all of these leases, which one holder has, stay in force until the transaction ends. */
function requireLeases(tx: Tx, required: readonly Lease[]): Answer<void> {
  const [first, ...others] = required;
  if (!first) return;
  if (others.length === 0) return requireLease(tx, first);
  const names = JSON.stringify(required.map(({ name }) => name));
  return answered(listHeld(tx, { names, holder: first.holder }), (held) => {
    const epochs = new Map(held.map(({ name, epoch }) => [name, epoch]));
    const lapsed = required.filter(({ name, epoch }) => epochs.get(name) !== epoch);
    if (lapsed.length > 0) throw new LeasesLapsed(lapsed);
  });
}

/**
 * The database for work under leases: each transaction requires them at its begin, without a round trip of its own. It
 * throws `LeaseLost` if another process has had one of them since. Otherwise nobody takes them over until it ends; those
 * that have lapsed meanwhile are in force again.
 */
export function underLease(db: Database, ...required: readonly Lease[]): Database {
  const transaction: Database['transaction'] = async (decide, options) => {
    const checked = { ...options, first: (tx: Tx) => requireLeases(tx, required) } as typeof options;
    for (;;)
      try {
        return await db.transaction(decide, checked);
      } catch (error) {
        if (!(error instanceof LeasesLapsed)) throw error;
        await heal(db, error.lapsed);
      }
  };
  return { ...db, transaction, heartbeat: (write) => transaction(write, { quiet: 'everywhere' }) };
}
