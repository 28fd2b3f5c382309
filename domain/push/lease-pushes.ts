import { and, asc, eq, inArray, isNull, like, lte, min, notInArray, or, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { skipLocked } from '#db/dialect.ts';
import { pushDevices, pushes } from '#db/schema/push.ts';
import { isLeased, isUnleased } from '#domain/kernel/lease.ts';
import { second } from '#domain/kernel/time.ts';

/** A notice that was not reported within this time is sent by another process. System time. */
export const PUSH_LEASE_MS = 120 * second;

type Device = Pick<typeof pushDevices.$inferSelect, 'userId' | 'endpointHash' | 'subscription' | 'publicKey'>;
/** A notice that this process sends, with the device that it is for. */
export type LeasedPush = typeof pushes.$inferSelect & { device: Device };

/** The push services of the browsers' makers; the last two give their regions names of their own. */
const makers = {
  hosts: ['fcm.googleapis.com', 'updates.push.services.mozilla.com'],
  domains: ['.push.apple.com', '.notify.windows.com'],
} as const;

/** Says whether a push service is one of the browsers' makers; anybody can run another. */
export const isMakersHost = (host: string): boolean =>
  makers.hosts.some((each) => each === host) || makers.domains.some((each) => host.endsWith(each));

const isMakersHostIn = or(
  inArray(pushes.host, [...makers.hosts]),
  ...makers.domains.map((domain) => like(pushes.host, `%${domain}`)),
);

/** Lists the push services that something is due for, except some: the makers' first, then the one that has waited longest. */
export async function listDueHosts(
  read: Reader,
  { except, limit }: { except: readonly string[]; limit: number },
  nowMs: number,
  systemMs: number,
): Promise<string[]> {
  const dueSinceMs = min(pushes.runAtMs);
  const rows = await read
    .select({ host: pushes.host })
    .from(pushes)
    .where(
      and(
        isNull(pushes.endedAtMs),
        lte(pushes.runAtMs, nowMs),
        isUnleased(pushes.leaseUntilMs, PUSH_LEASE_MS, systemMs),
        except.length > 0 ? notInArray(pushes.host, [...except]) : undefined,
      ),
    )
    .groupBy(pushes.host)
    .orderBy(sql`case when ${isMakersHostIn} then 0 else 1 end`, asc(dueSinceMs))
    .limit(limit);
  return rows.map(({ host }) => host);
}

/**
 * Leases notices that are due at one push service. A process that crashes between sending and reporting sends them
 * again; both have the same topic and tag, by which the second takes the place of the first.
 */
export async function leasePushes(
  db: Database,
  { host, limit }: { host: string; limit: number },
  nowMs: number,
  systemMs: number,
): Promise<LeasedPush[]> {
  return db.transaction(
    async (tx) => {
      const due = await skipLocked(
        tx
          .select()
          .from(pushes)
          .where(
            and(
              eq(pushes.host, host),
              isNull(pushes.endedAtMs),
              lte(pushes.runAtMs, nowMs),
              isUnleased(pushes.leaseUntilMs, PUSH_LEASE_MS, systemMs),
            ),
          )
          .orderBy(asc(pushes.runAtMs), asc(pushes.id))
          .limit(limit),
      );
      if (due.length === 0) return [];
      const leaseUntilMs = systemMs + PUSH_LEASE_MS;
      const ids = due.map(({ id }) => id);
      await tx.update(pushes).set({ leaseUntilMs }).where(inArray(pushes.id, ids));
      const devices = await tx
        .select({
          id: pushDevices.id,
          userId: pushDevices.userId,
          endpointHash: pushDevices.endpointHash,
          subscription: pushDevices.subscription,
          publicKey: pushDevices.publicKey,
        })
        .from(pushDevices)
        .where(
          inArray(
            pushDevices.id,
            due.map(({ deviceId }) => deviceId),
          ),
        );
      const byId = new Map(devices.map(({ id, ...device }) => [id, device]));
      return due.flatMap((push) => {
        const device = byId.get(push.deviceId);
        return device ? [{ ...push, leaseUntilMs, device }] : [];
      });
    },
    { quiet: true },
  );
}

/** Milliseconds until the next notice is due or an unreported lease expires; null if none is waiting. */
export async function nextPushDueMs(read: Reader, nowMs: number, systemMs: number): Promise<number | null> {
  const [next] = await read
    .select({ runAtMs: pushes.runAtMs })
    .from(pushes)
    .where(and(isNull(pushes.endedAtMs), isUnleased(pushes.leaseUntilMs, PUSH_LEASE_MS, systemMs)))
    .orderBy(asc(pushes.runAtMs))
    .limit(1);
  const [leased] = await read
    .select({ untilMs: min(pushes.leaseUntilMs) })
    .from(pushes)
    .where(
      and(
        isNull(pushes.endedAtMs),
        // Only what was due is leased.
        lte(pushes.runAtMs, nowMs),
        isLeased(pushes.leaseUntilMs, PUSH_LEASE_MS, systemMs),
      ),
    );
  const waits = [
    ...(next ? [next.runAtMs - nowMs] : []),
    ...(leased?.untilMs ? [Number(leased.untilMs) - systemMs] : []),
  ];
  return waits.length > 0 ? Math.min(...waits) : null;
}
