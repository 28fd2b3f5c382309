import { and, asc, eq, inArray, or, type SQL } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { type PauseReason, rules } from '#db/schema/rule.ts';
import { type ChannelBlocker, channelBlocker } from '#domain/channel/channel-blocker.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import { asksFor, asksInSql } from '#domain/condition/condition.ts';
import { type ChannelTx, lockChannels } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { fittingRules } from '#domain/rule/fitting-rules.ts';

/** Selects rules by owner, by channel, or by both. */
type RulesAt = { ownerId: string; channelId?: string } | { channelId: string; ownerId?: undefined };
type Places = RulesAt | { anyOf: readonly RulesAt[] };

const placesOf = (selection: Places): readonly RulesAt[] =>
  'anyOf' in selection ? selection.anyOf : [selection];

const at = ({ ownerId, channelId }: RulesAt) =>
  and(
    ownerId === undefined ? undefined : eq(rules.ownerId, ownerId),
    channelId === undefined ? undefined : eq(rules.channelId, channelId),
  );

type Rule = typeof rules.$inferSelect;

/** Reads the selected rules in this state, and takes the locks of their channels and of these others. */
async function heldRules(
  tx: Tx,
  places: readonly RulesAt[],
  state: SQL | undefined,
  channelIds: readonly (string | undefined)[],
): Promise<{ held: ChannelTx; found: Iterable<Rule> }> {
  const read = async () => {
    const found = new Map<string, Rule>();
    for (const place of places) {
      const some = await tx
        .select()
        .from(rules)
        .where(and(at(place), state))
        .orderBy(asc(rules.channelId), asc(rules.id));
      for (const rule of some) found.set(rule.id, rule);
    }
    return [...found.values()];
  };
  const theirs = (await read()).map(({ channelId }) => channelId);
  const held = await lockChannels(
    tx,
    [...theirs, ...channelIds].filter((id) => id !== undefined),
  );
  // Read again under the locks: a rule may have been opened, paused or closed meanwhile.
  return { held, found: await read() };
}

/**
 * Pauses every selected open rule with this reason, or only those for channel points; promises stay valid. One that its
 * owner has paused gets the reason too: it is no longer shown as one that goes on.
 */
export async function pauseRulesOf(
  tx: Tx,
  { asksPoints = false, ...selection }: Places & { reason: PauseReason; asksPoints?: boolean },
  nowMs: number,
): Promise<void> {
  const places = placesOf(selection);
  const goesOn = or(is(rules.state, 'open'), isPausedByOwner);
  const which = and(goesOn, asksPoints ? asksInSql(channelPoints) : undefined);
  const named = places.map(({ channelId }) => channelId);
  const { held, found } = await heldRules(tx, places, which, named);
  for (const rule of found) await pauseWith(held, rule, selection.reason, nowMs);
}

const isPausedByOwner = and(is(rules.state, 'paused'), is(rules.pauseReason, 'owner'));

/** Pauses a rule that is open, or that its owner has paused. */
export async function pauseWith(
  tx: ChannelTx,
  { id, ownerId, state }: Pick<Rule, 'id' | 'ownerId' | 'state'>,
  pauseReason: PauseReason,
  nowMs: number,
): Promise<void> {
  if (state === 'open') {
    await advanceRule(tx, id, 'paused', { pauseReason }, nowMs);
    return;
  }
  await tx.update(rules).set({ pauseReason }).where(eq(rules.id, id));
  await announce(tx, [{ userId: ownerId, kind: 'rule.changed', subjectId: id }], nowMs);
}

/**
 * Changes the reason why rules of a channel are paused, guests' rules too. The caller holds the channel's
 * lock.
 */
export async function changePauseReason(
  tx: Tx,
  { channelId, from, to }: { channelId: string; from: PauseReason; to: PauseReason },
): Promise<void> {
  const paused = and(is(rules.state, 'paused'), is(rules.pauseReason, from));
  await tx
    .update(rules)
    .set({ pauseReason: to })
    .where(and(eq(rules.channelId, channelId), paused));
}

/** The columns of a rule that its owner did not pause. */
export const unpaused = { pausedAtMs: null, resumesAtMs: null, remindsAtMs: null };

/** The pause reason for each channel blocker. */
const reasonOf: Record<ChannelBlocker, PauseReason> = {
  twitchNotLinked: 'lostPermission',
  notAdmitted: 'optInRevoked',
  broadcasterMissing: 'lostPermission',
  channelMissing: 'channelMissing',
  broadcasterRestricted: 'lostPermission',
  permissionsMissing: 'lostPermission',
  pointsPermissionMissing: 'lostPermission',
};

/**
 * Resumes rules that are paused for this reason, or for one of several. A rule whose channel still cannot be
 * used, or which the owner's plan no longer allows, stays paused with the current reason. Returns the resumed
 * rules; after committing, the caller runs `evaluateRules` to serve viewers who waited or met a rule
 * meanwhile. Takes the locks of `alsoLocked` channels along with those of the rules.
 */
export async function resumeRulesOf(
  tx: Tx,
  {
    alsoLocked = [],
    ...selection
  }: Places & { reason: PauseReason | readonly PauseReason[]; alsoLocked?: readonly string[] },
  nowMs: number,
): Promise<string[]> {
  const opened: string[] = [];
  const paused = and(is(rules.state, 'paused'), inArray(rules.pauseReason, [selection.reason].flat()));
  const { held, found } = await heldRules(tx, placesOf(selection), paused, alsoLocked);
  for (const rule of found) {
    if (await resumeRule(held, rule, nowMs)) opened.push(rule.id);
  }
  return opened;
}

/**
 * Resumes one rule. It stays paused, with the current reason, if its channel cannot be used, the owner's plan does not
 * allow it, or the owner paused it. Returns whether it is open.
 */
export async function resumeRule(tx: ChannelTx, rule: Rule, nowMs: number): Promise<boolean> {
  const { id, ownerId, channelId } = rule;
  const asksPoints = asksFor(rule, channelPoints);
  const blocker = await channelBlocker(tx, { channelId, userId: ownerId, asksPoints });
  const fits = (await fittingRules(tx, ownerId, nowMs)).has(id);
  const isPaused = rule.pausedAtMs !== null;
  if (!blocker && fits && !isPaused) return advanceRule(tx, id, 'resumed', { pauseReason: null }, nowMs);
  const pauseReason = blocker ? reasonOf[blocker] : fits ? 'owner' : 'overLimit';
  await tx.update(rules).set({ pauseReason }).where(eq(rules.id, id));
  await announce(tx, [{ userId: ownerId, kind: 'rule.changed', subjectId: id }], nowMs);
  return false;
}
