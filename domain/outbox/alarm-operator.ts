import { lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { alarms } from '#db/schema/outbox.ts';
import { type MailToQueue, queueMail } from '#domain/outbox/queue-mail.ts';
import { day } from '#domain/time.ts';

/** How long the operator gets no second mail about the same thing. */
const QUIET_MS = day;

/**
 * Queues a mail to the operator about something that may go wrong again and again, once a day for each key, whichever
 * process notices it. Returns whether one was queued.
 */
export async function alarmOperator(
  database: Database,
  { key, mail }: { key: string; mail: MailToQueue },
  nowMs: number,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const due = await tx
      .insert(alarms)
      .values({ key, mailedAtMs: nowMs })
      .onConflictDoUpdate({
        target: alarms.key,
        set: { mailedAtMs: nowMs },
        setWhere: lt(alarms.mailedAtMs, nowMs - QUIET_MS),
      })
      .returning({ key: alarms.key });
    if (due.length === 0) return false;
    await queueMail(tx, mail, nowMs);
    return true;
  });
}
