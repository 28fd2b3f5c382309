import { lt } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { alarms } from '#db/schema/outbox.ts';
import { day } from '#domain/kernel/time.ts';
import { type MailToQueue, queueMail } from '#domain/outbox/queue-mail.ts';

/** The operator gets no second mail about the same thing within this time. */
const QUIET_MS = day;

interface Alarm {
  key: string;
  /** At most one mail is ever sent, even if the trouble goes on. */
  isOnce?: true;
  mail: MailToQueue;
}

/**
 * Queues a mail to the operator about something that may go wrong again and again, once a day for each key, whichever
 * process notices it. Returns whether one was queued.
 */
export const alarmOperator = (db: Database, alarm: Alarm, nowMs: number): Promise<boolean> =>
  db.transaction((tx) => queueAlarm(tx, alarm, nowMs));

/** Like `alarmOperator`, in the transaction that finds the trouble. */
export async function queueAlarm(tx: Tx, { key, mail, isOnce }: Alarm, nowMs: number): Promise<boolean> {
  const due = await tx
    .insert(alarms)
    .values({ key, mailedAtMs: nowMs })
    .onConflictDoUpdate({
      target: alarms.key,
      set: { mailedAtMs: nowMs },
      setWhere: lt(alarms.mailedAtMs, isOnce ? 0 : nowMs - QUIET_MS),
    })
    .returning({ key: alarms.key });
  if (due.length === 0) return false;
  await queueMail(tx, mail, nowMs);
  return true;
}
