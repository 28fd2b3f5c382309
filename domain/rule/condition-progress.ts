import type { rules } from '#db/schema/rule.ts';
import { day } from '#domain/clock.ts';

type Conditions = Pick<typeof rules.$inferSelect, 'followDays' | 'watchMinutes' | 'watchScope'>;

/** What is known of a viewer on a rule's channel. */
export interface ViewerFacts {
  /** All seconds ever watched there. */
  watchedSeconds: number;
  /** What was watched before a rule that counts from its beginning. */
  baselineSeconds: number;
  /** Null: not known to follow. */
  followedAtMs: number | null;
}

/** How far somebody is with each condition that a rule asks; null where it does not ask. */
export interface ConditionProgress {
  watch: { haveSeconds: number; needSeconds: number; met: boolean } | null;
  follow: {
    haveDays: number;
    needDays: number;
    since: number | null;
    metAtMs: number | null;
    met: boolean;
  } | null;
  met: boolean;
}

/** The arithmetic of a rule's conditions for one viewer, as `qualify` decides it for all of them at once. */
export function conditionProgress(rule: Conditions, viewer: ViewerFacts, nowMs: number): ConditionProgress {
  const watch = watchProgress(rule, viewer);
  const follow = followProgress(rule, viewer, nowMs);
  return { watch, follow, met: (watch?.met ?? true) && (follow?.met ?? true) };
}

function watchProgress(rule: Conditions, viewer: ViewerFacts): ConditionProgress['watch'] {
  if (rule.watchMinutes === null) return null;
  const before = rule.watchScope === 'sinceRule' ? viewer.baselineSeconds : 0;
  const haveSeconds = Math.max(0, viewer.watchedSeconds - before);
  const needSeconds = rule.watchMinutes * 60;
  return { haveSeconds, needSeconds, met: haveSeconds >= needSeconds };
}

function followProgress(
  rule: Conditions,
  { followedAtMs: since }: ViewerFacts,
  nowMs: number,
): ConditionProgress['follow'] {
  const needDays = rule.followDays;
  if (needDays === null) return null;
  if (since === null) return { haveDays: 0, needDays, since, metAtMs: null, met: false };
  const metAtMs = since + needDays * day;
  const haveDays = Math.max(0, Math.floor((nowMs - since) / day));
  return { haveDays, needDays, since, metAtMs, met: metAtMs <= nowMs };
}
