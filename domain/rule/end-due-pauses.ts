import { and, asc, eq, isNotNull, lte } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { endPauseIn } from '#domain/rule/end-pause.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';

/** Maximum number of pauses that one call ends, and of reminders that it sends; the next call goes on. */
const AT_ONCE = 100;

/**
 * Ends the pauses whose time has come, serves who waits, and reminds owners of those that do not end by themselves. Each
 * is a transaction of its own, and one that fails holds up no other; the first failure is thrown at the end. If
 * interrupted, the next call goes on; the channel's hourly sweep serves those of a rule that resumed just before. Returns
 * how many pauses ended.
 */
export async function endDuePauses(db: Database, nowMs: number): Promise<number> {
  const due = await db.read
    .select({ id: rules.id, channelId: rules.channelId })
    .from(rules)
    .where(lte(rules.resumesAtMs, nowMs))
    .orderBy(asc(rules.resumesAtMs))
    .limit(AT_ONCE);
  const failures: unknown[] = [];
  for (const { id, channelId } of due)
    await endDue(db, { ruleId: id, channelId }, nowMs).catch((error) => failures.push(error));
  for (const id of await listToRemind(db.read, nowMs))
    await remindOwner(db, id, nowMs).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return due.length;
}

/** Milliseconds until the next pause ends or its owner is reminded of it; null if there is none. */
export async function nextPauseEndMs(q: Reader, nowMs: number): Promise<number | null> {
  const times: number[] = [];
  for (const column of [rules.resumesAtMs, rules.remindsAtMs]) {
    const [first] = await q
      .select({ atMs: column })
      .from(rules)
      .where(isNotNull(column))
      .orderBy(asc(column))
      .limit(1);
    if (first?.atMs != null) times.push(first.atMs);
  }
  return times.length === 0 ? null : Math.min(...times) - nowMs;
}

async function endDue(db: Database, at: { ruleId: string; channelId: string }, nowMs: number) {
  const opened = await db.transaction(
    async (tx) => {
      // Read again under the channel's lock: its owner may have resumed it, or paused it anew.
      const [rule] = await tx
        .select()
        .from(rules)
        .where(and(eq(rules.id, at.ruleId), lte(rules.resumesAtMs, nowMs)));
      return rule !== undefined && (await endPauseIn(tx, rule, nowMs));
    },
    { lock: channelLock(at.channelId) },
  );
  if (opened) await evaluateRules(db, [at.ruleId], nowMs);
}

/** Lists the paused rules of which their owners are to be reminded, those that wait longest first. */
async function listToRemind(q: Reader, nowMs: number): Promise<string[]> {
  const due = await q
    .select({ id: rules.id })
    .from(rules)
    .where(lte(rules.remindsAtMs, nowMs))
    .orderBy(asc(rules.remindsAtMs))
    .limit(AT_ONCE);
  return due.map(({ id }) => id);
}

/** Mails the owner of a paused rule, once, if their address is verified. */
const remindOwner = (db: Database, ruleId: string, nowMs: number): Promise<void> =>
  db.transaction(async (tx) => {
    const [rule] = await tx
      .update(rules)
      .set({ remindsAtMs: null })
      .where(and(eq(rules.id, ruleId), lte(rules.remindsAtMs, nowMs)))
      .returning({
        ownerId: rules.ownerId,
        channelId: rules.channelId,
        name: rules.name,
      });
    if (!rule) return;
    const [owner] = await tx
      .select({
        name: users.name,
        recipient: users.email,
        locale: users.locale,
        channel: channels.displayName,
      })
      .from(users)
      .innerJoin(channels, eq(channels.id, rule.channelId))
      .where(and(eq(users.id, rule.ownerId), isNotNull(users.emailVerifiedAtMs)));
    if (!owner) return;
    const { name, channel, recipient, locale } = owner;
    const values = { name, channel, rule: rule.name, ruleId };
    await queueMail(tx, { recipient, locale, template: 'rulePaused', values }, nowMs);
  });
