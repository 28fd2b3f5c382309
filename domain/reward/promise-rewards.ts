import { draws } from '#db/schema/draw.ts';
import { insertManyInto } from '#db/write.ts';
import { queueAnnouncements } from '#domain/chat/queue-announcements.ts';
import type { Pairing } from '#domain/draw/pairing.ts';
import { markServed, type ServedRule } from '#domain/draw/waiting-list.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { isReminded, REMINDER_MS } from '#domain/kernel/reminder.ts';
import { hour } from '#domain/kernel/time.ts';
import { type MailToQueue, queueMails } from '#domain/outbox/queue-mail.ts';
import { type PushToQueue, queuePushes } from '#domain/push/queue-pushes.ts';
import { advanceRewards } from '#domain/reward/advance-reward.ts';
import { sendsFrom } from '#domain/reward/claim-window.ts';

const insertDraws = insertManyInto(draws, 'draws');

/** The claim window begins when the item may be sent, so that viewers lose no time by a delay. */
const claimUntil = (rule: ServedRule, nowMs: number): number =>
  (sendsFrom(rule, nowMs) ?? nowMs) + rule.claimTimeoutHours * hour;

/**
 * Promises rewards of any number of rules, with one statement per kind of row. A reward that is no longer free is
 * skipped and its viewer keeps waiting. Returns how many were promised.
 */
export async function promiseRewards(
  tx: ChannelTx,
  pairings: readonly Pairing[],
  nowMs: number,
): Promise<number> {
  const steps = pairings.map(({ rule, viewer, reward }) => ({
    reward: { id: reward.id, state: 'free' as const, userId: null, ownerId: rule.ownerId },
    patch: {
      twitchId: viewer.twitchId,
      userId: viewer.userId,
      promisedAtMs: nowMs,
      claimUntilMs: claimUntil(rule, nowMs),
    },
  }));
  const promised = await advanceRewards(tx, 'promised', steps, nowMs);
  const made = pairings.filter(({ reward }) => promised.has(reward.id));
  await writeDraws(tx, pairings, promised);
  // Everybody is told that they can claim, whatever their plan: else they lose the reward without knowing of it.
  // The mail preference was read in this transaction, so a choice made earlier is respected.
  const wanted = made.filter(({ viewer }) => viewer.notifyByMail);
  await queueMails(
    tx,
    wanted.flatMap((pairing) => mailsOf(pairing, nowMs)),
    nowMs,
  );
  await queuePushes(
    tx,
    made.flatMap((pairing) => pushesOf(pairing, nowMs)),
    nowMs,
  );
  await markServed(
    tx,
    made.map(({ rule, viewer }) => ({ ruleId: rule.id, twitchId: viewer.twitchId })),
    nowMs,
  );
  await queueAnnouncements(tx, made, nowMs);
  return made.length;
}

/** Draws form a chain with their promises, so one failure rolls back the whole transaction. */
async function writeDraws(
  tx: ChannelTx,
  pairings: readonly Pairing[],
  promised: ReadonlySet<string>,
): Promise<void> {
  const rows = pairings.flatMap(({ drawn, reward }) => {
    if (drawn && !promised.has(reward.id)) throw new Error(`reward ${reward.id} was drawn and is not free`);
    return drawn ? [drawn.draw] : [];
  });
  await insertDraws(tx, rows);
}

/**
 * Returns the mail about the promise and, if the window is long enough, a reminder before it ends, which is
 * sent only if the promise is still open then.
 */
function mailsOf({ rule, viewer, reward, drawn }: Pairing, nowMs: number): MailToQueue[] {
  const { email: recipient, locale } = viewer;
  const untilMs = claimUntil(rule, nowMs);
  const values = {
    name: viewer.name,
    item: reward.itemName,
    channel: rule.channelName,
    rule: rule.name,
    claimUntilMs: String(untilMs),
    rewardId: reward.id,
  };
  const fromMs = sendsFrom(rule, nowMs);
  const sent = fromMs !== null && { sendsFromMs: String(fromMs) };
  const draw = drawn && { proof: `${rule.id}/${drawn.draw.number}`, fingerprint: drawn.fingerprint };
  const first = {
    recipient,
    locale,
    template: 'rewardPromised',
    values: { ...values, ...sent, ...draw },
  } as const;
  if (!isReminded(nowMs, untilMs)) return [first];
  return [first, { recipient, locale, template: 'claimReminder', values, runAtMs: untilMs - REMINDER_MS }];
}

/** Returns the notices for the viewer's devices: those of the mails, each with its end. */
function pushesOf({ rule, viewer: { userId }, reward }: Pairing, nowMs: number): PushToQueue[] {
  const endsAtMs = claimUntil(rule, nowMs);
  const about = { userId, rewardId: reward.id, subjectId: reward.id, endsAtMs };
  const first: PushToQueue = { ...about, event: 'promised' };
  if (!isReminded(nowMs, endsAtMs)) return [first];
  return [first, { ...about, event: 'reminder', runAtMs: endsAtMs - REMINDER_MS }];
}
