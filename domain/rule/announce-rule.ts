import { and, eq, isNull, lte, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { queueLine } from '#domain/chat/queue-announcements.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { minute } from '#domain/kernel/time.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';

/** A rule is announced once in this time, however often its owner asks. */
export const ANNOUNCE_AGAIN_AFTER_MS = 10 * minute;

export type AnnounceRefusal = 'notFound' | 'notYourChat' | 'notOpen';

/**
 * Has the bot announce an open rule, unless it is frozen, in the own chat of its owner. Asking again within ten minutes
 * changes nothing and returns the time of the first line.
 */
export async function announceRule(
  db: Database,
  { ruleId, userId, line }: { ruleId: string; userId: string; line: string },
  nowMs: number,
): Promise<Outcome<{ announcedAtMs: number }, AnnounceRefusal>> {
  return db.transaction(async (tx) => {
    const rule = await findRuleOf(tx, ruleId, userId);
    if (!rule) return refuse('notFound');
    if (rule.channelId !== (await findChannelOf(tx, userId))) return refuse('notYourChat');
    const announced = await tx
      .update(rules)
      .set({ announcedAtMs: nowMs })
      .where(
        and(
          eq(rules.id, ruleId),
          is(rules.state, 'open'),
          isNull(rules.frozenAtMs),
          or(isNull(rules.announcedAtMs), lte(rules.announcedAtMs, nowMs - ANNOUNCE_AGAIN_AFTER_MS)),
        ),
      )
      .returning({ id: rules.id });
    if (announced.length === 0) {
      // Read again, because another transaction may have announced it since the first reading.
      const present = await findRuleOf(tx, ruleId, userId);
      return present?.state !== 'open' || present.frozenAtMs !== null || present.announcedAtMs === null
        ? refuse('notOpen')
        : done({ announcedAtMs: present.announcedAtMs });
    }
    await queueLine(tx, { channelId: rule.channelId, ruleName: rule.name, line }, nowMs);
    return done({ announcedAtMs: nowMs });
  });
}
