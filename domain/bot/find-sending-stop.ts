import { isNull } from 'drizzle-orm';
import { type Answer, answered, type Reader } from '#db/database.ts';
import { sendingStops } from '#db/schema/sending-stop.ts';
import { statement } from '#db/statement.ts';

/** A stop that is in force: its start in domain and system time, and the account that began it. */
export interface SendingStop {
  id: string;
  stoppedAtMs: number;
  stoppedSystemMs: number;
  stoppedBy: string;
}

const readOpen = statement('open_sending_stop', (q) =>
  q
    .select({
      id: sendingStops.id,
      stoppedAtMs: sendingStops.stoppedAtMs,
      stoppedSystemMs: sendingStops.stoppedSystemMs,
      stoppedBy: sendingStops.stoppedBy,
    })
    .from(sendingStops)
    .where(isNull(sendingStops.resumedAtMs))
    .limit(1),
);

/** Finds the stop that is in force; null while bots may send. */
export const findSendingStop = (q: Reader): Answer<SendingStop | null> =>
  answered(readOpen(q, {}), ([open]) => open ?? null);
