import { useEffect, useState } from 'react';
import { useNavigation, useRevalidator } from 'react-router';
import { type Lateness, useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import type { Counted } from '#app/services/channels/counted-channels.server.ts';
import type { RuleProgress } from '#domain/view/list-progress.ts';
import { MAX_LOOK_AGE_MS } from '#domain/watch-time/look-age.ts';
import type { Presence } from '#domain/watch-time/read-presences.ts';

/** The viewer's time on a channel, as the stream of events has it. */
export type CountedThere = Omit<Counted, 'channelId'>;
export type CountedChange = CountedThere & { kind: string; subjectId: string };

/** The time over which pages of one channel are reloaded when something else than time changed there for all. */
const SPREAD_MS = 3_000;
/** A page is loaded again after this time, more or less: not everything on it is told, and a dead stream may look open. */
const RELOAD_MS = 600_000;
/** Without an open stream nothing at all is told, so the page is loaded this often. */
const BLIND_MS = 120_000;
const MINUTE_MS = 60_000;

/** The rules with the time that was counted since they were loaded. */
export function withCounted(
  rules: readonly RuleProgress[],
  counted: ReadonlyMap<string, CountedThere>,
  nowMs: number,
): RuleProgress[] {
  return rules.map((rule) => {
    const there = counted.get(rule.channel.id);
    return aged(there ? grown(rule, there) : rule, nowMs);
  });
}

function aged(rule: RuleProgress, nowMs: number): RuleProgress {
  const lookedAtMs = rule.presence?.lookedAtMs ?? null;
  if (lookedAtMs === null || nowMs - lookedAtMs <= MAX_LOOK_AGE_MS) return rule;
  return { ...rule, presence: { is: 'unknown', lookedAtMs } };
}

function grown(rule: RuleProgress, { seconds, presence, offered }: CountedThere): RuleProgress {
  const { watch } = rule.progress;
  // Time that was counted before the page was loaded is part of it already.
  const haveSeconds = watch && watch.haveSeconds + Math.max(0, seconds - rule.watchedSeconds);
  const isNewer = (presence.lookedAtMs ?? 0) > (rule.presence?.lookedAtMs ?? 0);
  return {
    ...rule,
    presence: rule.presence && (isNewer ? presence : rule.presence),
    freeRewards:
      (rule.presence && isNewer ? offered.find(({ ruleId }) => ruleId === rule.ruleId)?.free : null) ??
      rule.freeRewards,
    progress: {
      ...rule.progress,
      watch: watch && {
        ...watch,
        haveSeconds: haveSeconds ?? 0,
        met: (haveSeconds ?? 0) >= watch.needSeconds,
      },
    },
  };
}

/**
 * Returns whether only the server knows what a page has to show of a rule now: a stream was attended, the viewer's
 * time stopped or began to count, the rule offers something else, or it is met and its reward on its way.
 */
export function needsReload(rule: RuleProgress, there: CountedThere): boolean {
  const { watch, met: _, ...others } = grown(rule, there).progress;
  const isMet = [watch, ...Object.values(others)].every((each) => each === null || each.met);
  return (
    (there.attended !== rule.attended && rule.progress.streams !== null) ||
    (isMet && (rule.status === 'inProgress' || (rule.status === 'outOfRewards' && !rule.progress.met))) ||
    offersElse(rule, there) ||
    (rule.presence !== null && changesGaps(rule.presence, there.presence))
  );
}

/** The rule was closed, paused or resumed, its last reward went or a first one came, or chances changed. */
function offersElse(rule: RuleProgress, { offered }: CountedThere): boolean {
  const now = offered.find(({ ruleId }) => ruleId === rule.ruleId);
  if (!now || now.pauseReason !== rule.pauseReason) return true;
  if (now.free === rule.freeRewards) return false;
  return now.free === 0 || rule.freeRewards === 0 || rule.chances.length > 0 || rule.presence === null;
}

/** A rule was opened on the channel since time was counted there before. */
export function opensRule(before: CountedThere | undefined, { offered }: CountedThere): boolean {
  if (!before) return false;
  const known = new Set(before.offered.map(({ ruleId }) => ruleId));
  return offered.some(({ ruleId }) => !known.has(ruleId));
}

/** The list of gaps changes when time stops to count or counts again, and not when the viewer comes or goes. */
function changesGaps(before: Presence, now: Presence): boolean {
  const [was, is] = [before, now].map((each) =>
    each.is === 'uncounted' ? each.reason : each.is === 'unknown' && each.lookedAtMs !== null ? 'gap' : null,
  );
  return was !== is;
}

/** Rules on a page, with the viewer's time as the stream of events counts it on, the time of now, and whether that stream is open. */
export function useCountedProgress(
  loaded: readonly RuleProgress[],
  loadedAtMs: number,
): { rules: RuleProgress[]; nowMs: number; live: boolean } {
  const [counted, setCounted] = useState<ReadonlyMap<string, CountedThere>>(new Map());
  const latenessOf: Lateness = (change) => {
    const { kind, subjectId, ...there } = JSON.parse(change) as CountedChange;
    if (kind === 'channel.flipped') return Math.random() * SPREAD_MS;
    if (kind !== 'watch.counted') return 0;
    setCounted((known) => new Map(known).set(subjectId, there));
    const shown = loaded.filter(({ channel }) => channel.id === subjectId);
    const isOld = opensRule(counted.get(subjectId), there) || shown.some((rule) => needsReload(rule, there));
    return isOld ? Math.random() * SPREAD_MS : Infinity;
  };
  const live = useLiveUpdates(eventsOf(loaded), latenessOf);
  useReloads(live ? RELOAD_MS : BLIND_MS);
  const nowMs = useTimeSince(loadedAtMs);
  return { rules: withCounted(loaded, counted, nowMs), nowMs, live };
}

/** Returns the domain time, within a minute, on a page that was loaded at this one. */
function useTimeSince(loadedAtMs: number): number {
  const [passed, setPassed] = useState({ loadedAtMs, ms: 0 });
  useEffect(() => {
    const begunMs = performance.now();
    const timer = setInterval(
      () => setPassed({ loadedAtMs, ms: Math.floor(performance.now() - begunMs) }),
      MINUTE_MS,
    );
    return () => clearInterval(timer);
  }, [loadedAtMs]);
  return loadedAtMs + (passed.loadedAtMs === loadedAtMs ? passed.ms : 0);
}

/** Loads the page's data again now and then and when somebody comes back to it, unless it is hidden or being left. */
function useReloads(everyMs: number): void {
  const { revalidate, state } = useRevalidator();
  const isIdle = useNavigation().state === 'idle' && state === 'idle';
  useEffect(() => {
    if (!isIdle) return;
    const reload = async () => {
      if (document.hidden) return;
      // While the server is away, loading would replace the page by one that says so.
      const isThere = await fetch('/ready').then(
        ({ ok }) => ok,
        () => false,
      );
      if (isThere) void revalidate();
    };
    const loadedMs = performance.now();
    const comeBack = () => {
      if (performance.now() - loadedMs >= everyMs) void reload();
    };
    document.addEventListener('visibilitychange', comeBack);
    const timer = setInterval(() => void reload(), everyMs * (0.5 + Math.random()));
    return () => {
      document.removeEventListener('visibilitychange', comeBack);
      clearInterval(timer);
    };
  }, [everyMs, isIdle, revalidate]);
}

/** The live updates of a page, with each time that a channel of it flips or watch time is counted there. */
function eventsOf(rules: readonly RuleProgress[]): string {
  const channels = [...new Set(rules.map(({ channel }) => `channel=${channel.id}`))];
  return channels.length === 0 ? '/events' : `/events?${channels.sort().join('&')}`;
}
