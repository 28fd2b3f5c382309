import type { Database } from '#db/database.ts';
import { listConcerns, MAX_LISTED } from '#domain/custody/list-concerns.ts';
import { queueAlarm } from '#domain/outbox/alarm-operator.ts';

/** At most this many transfers are named in a mail. */
const MAX_NAMED = 5;

/**
 * Queues a mail to the operator about each bot's transfers that stay unclear or stuck at Steam: once a day for each
 * bot and concern, as long as it goes on. Without an address nothing is mailed. Returns how many mails were queued.
 */
export async function alarmOfTransfers(
  db: Database,
  { operatorEmail }: { operatorEmail: string | null },
  nowMs: number,
): Promise<number> {
  if (operatorEmail === null) return 0;
  let queued = 0;
  for (const [bot, { transfers }] of await listConcerns(db.read, nowMs))
    for (const concern of new Set(transfers.map((each) => each.concern))) {
      const concerned = transfers.filter((each) => each.concern === concern);
      const ids = concerned.slice(0, MAX_NAMED).map(({ transferId }) => transferId);
      // A list that reached its limit may lack some, of whichever concern.
      const amount = `${concerned.length}${transfers.length < MAX_LISTED ? '' : '+'}`;
      const values = { bot, trouble: concern, amount, ids: ids.join(', ') };
      const mail = { recipient: operatorEmail, locale: 'en', template: 'transfersUnclear', values } as const;
      const key = `transfers of ${bot}: ${concern}`;
      if (await db.transaction((tx) => queueAlarm(tx, { key, mail }, nowMs))) queued++;
    }
  return queued;
}
