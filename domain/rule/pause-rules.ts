import { and, asc, eq } from 'drizzle-orm';
import { holdLock, type Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { type PauseReason, rules } from '#db/schema/rule.ts';
import { type ChannelBlocker, channelBlocker } from '#domain/channel/channel-blocker.ts';
import { announce } from '#domain/outbox/announce.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { resumeCounting } from '#domain/rule/conditions/conditions.ts';

/** Selects rules by owner, by channel, or by both. */
type RulesAt = { ownerId: string; channelId?: string } | { channelId: string; ownerId?: undefined };

const at = ({ ownerId, channelId }: RulesAt) =>
  and(
    ownerId === undefined ? undefined : eq(rules.ownerId, ownerId),
    channelId === undefined ? undefined : eq(rules.channelId, channelId),
  );

/** Locks the channels in channel order and returns their rules. */
async function heldRules(tx: Tx, where: ReturnType<typeof at>) {
  const ofInterest = () => tx.select().from(rules).where(where).orderBy(asc(rules.channelId), asc(rules.id));
  for (const channelId of new Set((await ofInterest()).map((rule) => rule.channelId)))
    await holdLock(tx, channelLock(channelId));
  // Read again under the locks: a rule may have been opened, paused or closed meanwhile.
  return ofInterest();
}

/** Pauses every selected open rule with this reason; promises stay valid. */
export async function pauseRulesOf(
  tx: Tx,
  { reason, ...place }: RulesAt & { reason: PauseReason },
  nowMs: number,
): Promise<void> {
  if (place.channelId !== undefined) await holdLock(tx, channelLock(place.channelId));
  const open = await heldRules(tx, and(at(place), is(rules.state, 'open')));
  for (const { id } of open) await advanceRule(tx, id, 'paused', { pauseReason: reason }, nowMs);
}

/** The pause reason for each channel blocker. */
const reasons: Record<ChannelBlocker, PauseReason> = {
  twitchNotLinked: 'lostPermission',
  notAdmitted: 'optInRevoked',
  broadcasterMissing: 'lostPermission',
  broadcasterRestricted: 'lostPermission',
  permissionsMissing: 'lostPermission',
};

/**
 * Resumes rules paused for this reason. A rule whose channel still cannot be used stays paused with the current
 * reason. Returns the resumed rules; after committing, the caller runs `evaluateRules` to serve viewers who waited or
 * qualified meanwhile.
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
    await resumeCounting(tx, rule);
    opened.push(id);
  }
  return opened;
}
