import { and, asc, isNull, lte, min } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { isLeased, isUnleased } from '#domain/kernel/lease.ts';
import { MAIL_LEASE_MS } from './lease-mails.ts';

/** Milliseconds until the next mail is due or an unreported lease expires; null if no mail is waiting. */
export async function nextMailDueMs(q: Reader, nowMs: number, systemMs: number): Promise<number | null> {
  const [next] = await q
    .select({ runAtMs: mails.runAtMs })
    .from(mails)
    .where(and(isNull(mails.sentAtMs), isUnleased(mails.leaseUntilMs, MAIL_LEASE_MS, systemMs)))
    .orderBy(asc(mails.runAtMs))
    .limit(1);
  const [leased] = await q
    .select({ untilMs: min(mails.leaseUntilMs) })
    .from(mails)
    .where(
      and(
        isNull(mails.sentAtMs),
        lte(mails.runAtMs, nowMs),
        isLeased(mails.leaseUntilMs, MAIL_LEASE_MS, systemMs),
      ),
    );
  const waits = [
    ...(next ? [next.runAtMs - nowMs] : []),
    ...(leased?.untilMs ? [Number(leased.untilMs) - systemMs] : []),
  ];
  return waits.length > 0 ? Math.min(...waits) : null;
}
