import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { type Answer, answered, type Database, type Reader, type Tx } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { statement } from '#db/statement.ts';
import { minute } from '#domain/kernel/time.ts';
import { queueAlarm } from '#domain/outbox/alarm-operator.ts';

/** The lengths of an account's pauses for one kind of refusal. */
export interface PauseLengths {
  firstMs: number;
  longestMs: number;
  /** Number of such refusals that cause no pause yet. */
  forgiven?: number;
}

export interface SendingRefusal {
  botId: string;
  transferId: string;
  code: string;
  /** Steam's own text. */
  said: string;
  pause: PauseLengths;
  /** Steam named this as the time to wait. */
  waitMs?: number | undefined;
  /** Receives a mail; null if there is no operator's address. */
  operatorEmail: string | null;
}

interface Times {
  /** Domain time. */
  nowMs: number;
  systemMs: number;
}

const MAX_SAID = 500;

const readPause = statement('bot_sending_pause', (q) =>
  q
    .select({ atMs: bots.sendPausedAtMs, lengthMs: bots.sendPauseMs })
    .from(bots)
    .where(eq(bots.id, sql.placeholder('botId'))),
);

/** Returns for how much longer a bot sends nothing because Steam refused its offers; 0 if it may send. */
export const untilSendingMs = (q: Reader, botId: string, systemMs: number): Answer<number> =>
  answered(readPause(q, { botId }), ([pause]) => (pause ? leftOf(pause, systemMs) : 0));

/** A beginning ahead of now comes from a clock that was put back, and would prolong the pause by as much. */
export const leftOf = ({ atMs, lengthMs }: { atMs: number; lengthMs: number }, systemMs: number): number =>
  atMs > systemMs ? 0 : Math.max(0, atMs + lengthMs - systemMs);

/**
 * Records that Steam refused an offer for a reason that may concern the bot's account: all of its sending
 * pauses, longer each time, until Steam takes an offer. Several refusals of one transfer count as one unless
 * the reason is known to be the account's. The operator gets a mail, once a day for each reason.
 */
export const recordSendingRefusal = (db: Database, refusal: SendingRefusal, times: Times): Promise<void> =>
  db.transaction((tx) => recordSendingRefusalIn(tx, refusal, times));

/** Like `recordSendingRefusal`, in the transaction that stores the refused attempt's result. */
export async function recordSendingRefusalIn(
  tx: Tx,
  { botId, transferId, code, said, pause, waitMs = 0, operatorEmail }: SendingRefusal,
  { nowMs, systemMs }: Times,
): Promise<void> {
  const { firstMs, longestMs, forgiven = 0 } = pause;
  const [bot] = await tx.select().from(bots).where(eq(bots.id, botId));
  if (!bot) return;
  const goesOn = bot.refusedCode === code;
  const refusals = goesOn ? bot.refusals + 1 : 1;
  const isOther = !goesOn || forgiven === 0 || bot.refusedTransferId !== transferId;
  const lastMs = goesOn ? bot.sendPauseMs : 0;
  const pauses = isOther && (forgiven === 0 || lastMs > 0 || refusals > forgiven);
  const grownMs = pauses ? Math.min(Math.max(firstMs, 2 * lastMs), longestMs) : 0;
  await tx
    .update(bots)
    .set({
      refusedCode: code,
      refusedWith: said.slice(0, MAX_SAID),
      refusals,
      refusedSinceMs: goesOn ? bot.refusedSinceMs : nowMs,
      refusedTransferId: transferId,
      ...(pauses && { sendPausedAtMs: systemMs, sendPauseMs: Math.max(grownMs, waitMs) }),
    })
    .where(eq(bots.id, botId));
  if (!operatorEmail || (!pauses && refusals <= forgiven)) return;
  const minutes = String(Math.ceil(Math.max(grownMs, waitMs) / minute));
  const values = { bot: botId, said: said.slice(0, MAX_SAID), times: String(refusals), minutes };
  const mail = { recipient: operatorEmail, locale: 'en', template: 'offersRefused', values } as const;
  await queueAlarm(tx, { key: `offers of ${botId} refused: ${code}`, mail }, nowMs);
}

/** Records that Steam took an offer of a bot: what it refused before is over. */
export async function endSendingPause(db: Database, botId: string): Promise<void> {
  const refused = and(eq(bots.id, botId), isNotNull(bots.refusedCode));
  if ((await db.read.$count(bots, refused)) === 0) return;
  await db.transaction(async (tx) => {
    await tx
      .update(bots)
      .set({
        refusedCode: null,
        refusedWith: null,
        refusals: 0,
        refusedSinceMs: null,
        refusedTransferId: null,
        sendPausedAtMs: 0,
        sendPauseMs: 0,
      })
      .where(eq(bots.id, botId));
  });
}
