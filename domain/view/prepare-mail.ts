import { and, count, eq, gt, isNotNull, lte, max } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import type { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { findChatTrouble } from '#domain/channel/mail-chat-troubles.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';
import { hour } from '#domain/kernel/time.ts';
import { asksToClaim, mailKindOf, mutedIn } from '#domain/outbox/mail-kinds.ts';
import { findDuePromise } from '#domain/view/due-promise.ts';

type Mail = Pick<typeof mails.$inferSelect, 'recipient' | 'template' | 'values'>;

/** A mail as it is to be sent now, or the reason why not: it is not wanted any more, or due later. */
export type PreparedMail =
  | { due: true; values: Record<string, string> }
  | { due: false; reason: 'muted' | 'outdated' }
  | { due: false; reason: 'later'; dueAtMs: number };

/**
 * Checks before sending whether a mail is still wanted and true, and adds the item's picture and the
 * receiver's time zone. A mail about a promise is worth sending as long as the promise can be claimed. While
 * the claim clock stands still that is so whatever its window says.
 */
export async function prepareMail(
  q: Reader,
  mail: Mail,
  nowMs: number,
  systemMs: number,
): Promise<PreparedMail> {
  const [receiver] = await q
    .select({
      notifyByMail: users.notifyByMail,
      mutedMails: users.mutedMails,
      timeZone: users.timeZone,
    })
    .from(users)
    .where(and(hasEmail(mail.recipient), isNotNull(users.emailVerifiedAtMs)));
  const kind = mailKindOf(mail.template);
  if (kind && (!receiver?.notifyByMail || mutedIn(receiver.mutedMails).includes(kind)))
    return { due: false, reason: 'muted' };
  const prepared = await prepareByTemplate(q, mail, nowMs, systemMs);
  if (!prepared.due || !receiver?.timeZone) return prepared;
  return { ...prepared, values: { ...prepared.values, timeZone: receiver.timeZone } };
}

async function prepareByTemplate(
  q: Reader,
  { template, values }: Mail,
  nowMs: number,
  systemMs: number,
): Promise<PreparedMail> {
  if (template === 'itemsUsable') return prepareUsable(q, values, nowMs);
  if (template === 'chatTrouble') return prepareTrouble(q, values);
  if (template === 'rulePaused') return preparePaused(q, values);
  if (!values.rewardId) return { due: true, values };
  const [reward] = await q
    .select({
      state: rewards.state,
      promisedAtMs: rewards.promisedAtMs,
      claimUntilMs: rewards.claimUntilMs,
      icon: items.iconUrl,
      rarity: items.rarityTag,
      typeLine: items.typeLine,
      exterior: items.exterior,
      frozenAtMs: rules.frozenAtMs,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(eq(rewards.id, values.rewardId));
  if (!reward) return { due: true, values };
  const { icon, rarity, typeLine, exterior } = reward;
  const itemKind = [exterior, typeLine].filter((part) => part !== '').join(' · ');
  const shown = { ...values, icon, rarity, itemKind };
  if (!asksToClaim(template)) return { due: true, values: shown };
  const promise = await findDuePromise(q, reward, template === 'claimReminder', nowMs, systemMs);
  if (!promise.due) return promise;
  if (promise.untilMs === null) return { due: true, values: shown };
  const due = { ...shown, claimUntilMs: String(promise.untilMs) };
  if (template !== 'claimReminder') return { due: true, values: due };
  const hours = String(Math.max(1, Math.round((promise.untilMs - nowMs) / hour)));
  return { due: true, values: { ...due, hours } };
}

/** Reads the trouble anew: one that has ended is not told any more. */
async function prepareTrouble(q: Reader, values: Record<string, string>): Promise<PreparedMail> {
  const trouble = await findChatTrouble(q, values.channelId ?? '');
  if (!trouble || trouble.sinceMs === null) return { due: false, reason: 'outdated' };
  return { due: true, values: { ...values, fault: trouble.fault, sinceMs: String(trouble.sinceMs) } };
}

/** A rule that was resumed or closed meanwhile is not told of. */
async function preparePaused(q: Reader, values: Record<string, string>): Promise<PreparedMail> {
  const [rule] = await q
    .select({ pausedAtMs: rules.pausedAtMs })
    .from(rules)
    .where(eq(rules.id, values.ruleId ?? ''));
  return (rule?.pausedAtMs ?? null) === null ? { due: false, reason: 'outdated' } : { due: true, values };
}

/** Counts the items of a deposit that can be used: those still held and not locked. */
async function prepareUsable(
  q: Reader,
  values: Record<string, string>,
  nowMs: number,
): Promise<PreparedMail> {
  const heldOf = and(eq(transferItems.transferId, values.transferId ?? ''), is(items.state, 'held'));
  const [locked] = await q
    .select({ untilMs: max(items.lockedUntilMs) })
    .from(transferItems)
    .innerJoin(items, eq(items.id, transferItems.itemId))
    .where(and(heldOf, gt(items.lockedUntilMs, nowMs)));
  if (locked?.untilMs) return { due: false, reason: 'later', dueAtMs: Number(locked.untilMs) };
  const [usable] = await q
    .select({ count: count() })
    .from(transferItems)
    .innerJoin(items, eq(items.id, transferItems.itemId))
    .where(and(heldOf, lte(items.lockedUntilMs, nowMs)));
  if (!usable?.count) return { due: false, reason: 'outdated' };
  return { due: true, values: { ...values, count: String(usable.count) } };
}
