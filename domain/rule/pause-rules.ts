import { and, asc, eq } from 'drizzle-orm';
import { holdLock, type Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { type PauseReason, rules } from '#db/schema/rule.ts';
import { type ChannelBlocker, channelBlocker } from '#domain/channel/channel-blocker.ts';
import { announce } from '#domain/outbox/announce.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { resumeRuleChecks } from '#domain/watch-time/next-check.ts';

/** Which rules: those of an owner wherever they run, those on a channel whoever owns them, or an owner's on a channel. */
type RulesAt = { ownerId: string; channelId?: string } | { channelId: string; ownerId?: undefined };

const at = ({ ownerId, channelId }: RulesAt) =>
  and(
    ownerId === undefined ? undefined : eq(rules.ownerId, ownerId),
    channelId === undefined ? undefined : eq(rules.channelId, channelId),
  );

/** The rules in the order of their channels, in which locks are taken, each channel's lock held. */
async function heldRules(tx: Tx, where: ReturnType<typeof at>) {
  const ofInterest = () => tx.select().from(rules).where(where).orderBy(asc(rules.channelId), asc(rules.id));
  for (const channelId of new Set((await ofInterest()).map((rule) => rule.channelId)))
    await holdLock(tx, channelLock(channelId));
  // Read again: who held a lock may have opened, paused or closed one.
  return ofInterest();
}

/** Pauses every open rule there for a stated reason; promises made stand. */
export async function pauseRulesOf(
  tx: Tx,
  { reason, ...place }: RulesAt & { reason: PauseReason },
  nowMs: number,
): Promise<void> {
  if (place.channelId !== undefined) await holdLock(tx, channelLock(place.channelId));
  const open = await heldRules(tx, and(at(place), is(rules.state, 'open')));
  for (const { id } of open) await advanceRule(tx, id, 'paused', { pauseReason: reason }, nowMs);
}

/** What a rule waits for whose channel cannot be read, or is no longer open to its owner. */
const reasons: Record<ChannelBlocker, PauseReason> = {
  twitchNotLinked: 'lostPermission',
  notAdmitted: 'optInRevoked',
  broadcasterGone: 'lostPermission',
  broadcasterRestricted: 'lostPermission',
  permissionsMissing: 'lostPermission',
};

/**
 * Opens what was paused for this reason again. A rule whose channel cannot be read now, or is closed to its owner by now,
 * goes on waiting, for that. Returns the rules that were opened: once this is committed, `evaluateRules` serves whoever
 * waited for them or met them meanwhile.
 */
export async function resumeRulesOf(
  tx: Tx,
  { reason, ...place }: RulesAt & { reason: PauseReason },
  nowMs: number,
): Promise<string[]> {
  const opened: string[] = [];
  const paused = await heldRules(
    tx,
    and(at(place), is(rules.state, 'paused'), eq(rules.pauseReason, reason)),
  );
  for (const rule of paused) {
    const { id, ownerId, channelId } = rule;
    const obstacle = await channelBlocker(tx, { channelId, userId: ownerId });
    if (obstacle) {
      await tx.update(rules).set({ pauseReason: reasons[obstacle] }).where(eq(rules.id, id));
      await announce(tx, [{ userId: ownerId, kind: 'rule.changed', subjectId: id }], nowMs);
      continue;
    }
    if (!(await advanceRule(tx, id, 'resumed', { pauseReason: null }, nowMs))) continue;
    await resumeRuleChecks(tx, rule);
    opened.push(id);
  }
  return opened;
}
