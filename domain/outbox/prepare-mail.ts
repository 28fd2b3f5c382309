import { and, count, eq, gt, isNotNull, lte, max } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import type { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { hasEmail } from '#domain/account/email/email-address.ts';
import { REMINDER_MS } from '#domain/reward/claim-window.ts';
import { hour } from '#domain/time.ts';
import { mailKindOf, mutedIn } from './mail-kinds.ts';

type Mail = Pick<typeof mails.$inferSelect, 'recipient' | 'template' | 'values'>;

/** A mail as it is to be sent now, or why not: it is not wanted any more, or due later. */
export type PreparedMail =
  | { due: true; values: Record<string, string> }
  | { due: false; reason: 'muted' | 'outdated' }
  | { due: false; reason: 'later'; dueAtMs: number };

/**
 * Checks before sending whether a mail is still wanted and true, and adds what it shows: the item's picture and the
 * receiver's time zone.
 */
export async function prepareMail(q: Reader, mail: Mail, nowMs: number): Promise<PreparedMail> {
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
  const prepared = await prepareByTemplate(q, mail, nowMs);
  if (!prepared.due || !receiver?.timeZone) return prepared;
  return { ...prepared, values: { ...prepared.values, timeZone: receiver.timeZone } };
}

async function prepareByTemplate(
  q: Reader,
  { template, values }: Mail,
  nowMs: number,
): Promise<PreparedMail> {
  if (template === 'itemsUsable') return prepareUsable(q, values, nowMs);
  if (!values.rewardId) return { due: true, values };
  const [reward] = await q
    .select({
      state: rewards.state,
      claimUntilMs: rewards.claimUntilMs,
      icon: items.iconUrl,
      rarity: items.rarityTag,
      typeLine: items.typeLine,
      exterior: items.exterior,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(eq(rewards.id, values.rewardId));
  if (!reward) return { due: true, values };
  const { icon, rarity, typeLine, exterior } = reward;
  const itemKind = [exterior, typeLine].filter((part) => part !== '').join(' · ');
  const shown = { ...values, icon, rarity, itemKind };
  const { state, claimUntilMs } = reward;
  const isOver = state === 'recalled' || (state === 'promised' && (claimUntilMs ?? 0) <= nowMs);
  if (template === 'rewardPromised' && isOver) return { due: false, reason: 'outdated' };
  if (template !== 'claimReminder') return { due: true, values: shown };
  if (state !== 'promised' || claimUntilMs === null || isOver) return { due: false, reason: 'outdated' };
  // An outage extends the window.
  if (claimUntilMs - REMINDER_MS > nowMs)
    return { due: false, reason: 'later', dueAtMs: claimUntilMs - REMINDER_MS };
  const hours = String(Math.max(1, Math.round((claimUntilMs - nowMs) / hour)));
  return { due: true, values: { ...shown, claimUntilMs: String(claimUntilMs), hours } };
}

/** Of a deposit's items, those still held and on no lock can be used. */
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
