import type { SubscriberTier } from '#db/schema/rule.ts';
import type { Conditions } from '#domain/rule/conditions.ts';
import type { ViewerFacts } from '#domain/rule/viewer-facts.ts';
import { day } from '#domain/time.ts';

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
  subscriber: { haveTier: SubscriberTier | null; needTier: SubscriberTier; met: boolean } | null;
  /** Nobody but Twitch knows how many points somebody has: only the redemption is seen. */
  points: { cost: number; redeemedAtMs: number | null; met: boolean } | null;
  met: boolean;
}

/** The arithmetic of a rule's conditions for one viewer, as `qualify` decides it for all of them at once. */
export function conditionProgress(rule: Conditions, viewer: ViewerFacts, nowMs: number): ConditionProgress {
  const asked = {
    watch: watchProgress(rule, viewer),
    follow: followProgress(rule, viewer, nowMs),
    subscriber: subscriberProgress(rule, viewer),
    points: pointsProgress(rule, viewer),
  };
  return { ...asked, met: Object.values(asked).every((condition) => condition?.met ?? true) };
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

function subscriberProgress(
  { subscriberTier: needTier }: Conditions,
  { tier: haveTier }: ViewerFacts,
): ConditionProgress['subscriber'] {
  if (needTier === null) return null;
  return { haveTier, needTier, met: haveTier !== null && haveTier >= needTier };
}

function pointsProgress(
  { pointsCost: cost }: Conditions,
  { redeemedAtMs }: ViewerFacts,
): ConditionProgress['points'] {
  return cost === null ? null : { cost, redeemedAtMs, met: redeemedAtMs !== null };
}
