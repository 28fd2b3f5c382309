import type { Tx } from '#db/database.ts';
import { draws } from '#db/schema/draw.ts';
import { insertManyInto } from '#db/write.ts';
import { queueAnnouncements } from '#domain/chat/queue-announcements.ts';
import { type MailToQueue, queueMails } from '#domain/outbox/queue-mail.ts';
import { advanceRewards } from '#domain/reward/advance-reward.ts';
import { markServed, type ServedRule, type Waiting } from '#domain/reward/waiting-list.ts';
import { hour } from '#domain/time.ts';

/** A free reward that may be promised. */
export interface FreeReward {
  id: string;
  itemName: string;
}

/** Which of a rule's free rewards a viewer is to have. */
export interface Pairing {
  rule: ServedRule;
  viewer: Waiting;
  reward: FreeReward;
  /** The draw that chose it, on a rule that draws. */
  drawn?: { draw: typeof draws.$inferInsert; fingerprint: string };
}

const insertDraws = insertManyInto(draws, 'draws');

const claimUntil = (rule: ServedRule, nowMs: number): number => nowMs + rule.claimTimeoutHours * hour;

/**
 * Promises these rewards, of any number of rules, to their viewers: each kind of row is written by one statement,
 * however many they are. A reward that is not free any more is promised to nobody, and its viewer goes on waiting.
 * Returns how many were promised.
 */
export async function promiseRewards(tx: Tx, pairings: readonly Pairing[], nowMs: number): Promise<number> {
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
  // Whether a mail may be sent was read in this transaction: a choice made before it holds.
  const mails = made.filter(({ viewer }) => viewer.notifyByMail).map((pairing) => mailOf(pairing, nowMs));
  await queueMails(tx, mails, nowMs);
  await markServed(
    tx,
    made.map(({ rule, viewer }) => ({ ruleId: rule.id, twitchId: viewer.twitchId })),
    nowMs,
  );
  await queueAnnouncements(tx, made, nowMs);
  return made.length;
}

/** A draw stands with its promise, and the draws after it stand on it: all were kept, or nothing of this is. */
async function writeDraws(
  tx: Tx,
  pairings: readonly Pairing[],
  promised: ReadonlySet<string>,
): Promise<void> {
  const rows = pairings.flatMap(({ drawn, reward }) => {
    if (drawn && !promised.has(reward.id)) throw new Error(`reward ${reward.id} was drawn and is not free`);
    return drawn ? [drawn.draw] : [];
  });
  await insertDraws(tx, rows);
}

function mailOf({ rule, viewer, reward, drawn }: Pairing, nowMs: number): MailToQueue {
  return {
    recipient: viewer.email,
    locale: viewer.locale,
    template: 'rewardPromised',
    values: {
      name: viewer.name,
      item: reward.itemName,
      channel: rule.channelName,
      rule: rule.name,
      claimUntilMs: String(claimUntil(rule, nowMs)),
      ...(drawn && { proof: `${rule.id}/${drawn.draw.number}`, fingerprint: drawn.fingerprint }),
    },
  };
}
