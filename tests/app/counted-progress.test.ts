import { expect, test } from 'vitest';
import {
  type CountedThere,
  needsReload,
  opensRule,
  withCounted,
} from '#app/routes/progress/counted-progress.ts';
import { minute } from '#domain/kernel/time.ts';
import type { Presence } from '#domain/watch-time/read-presences.ts';
import { noProgress } from '#tests/support/conditions.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { demoProgress } from './support/demo-progress.ts';

const inChat = (minutes: number): Presence => ({ is: 'counted', lookedAtMs: START_MS + minutes * minute });
const rule = {
  ...demoProgress,
  watchedSeconds: 700,
  presence: inChat(1),
  progress: { ...noProgress, watch: { haveSeconds: 60, needSeconds: 600, met: false }, met: false },
};
const seen = (seconds: number, minutes: number, more: Partial<CountedThere> = {}): CountedThere => ({
  seconds,
  presence: inChat(minutes),
  attended: false,
  offered: [{ ruleId: rule.ruleId, pauseReason: null, free: 1 }],
  ...more,
});
const shown = (there: CountedThere, of = rule) =>
  withCounted([of], new Map([[of.channel.id, there]]), START_MS + 2 * minute)[0];

test('A page adds the time that was counted since it was loaded, and never takes any away', () => {
  expect(shown(seen(760, 2))).toMatchObject({
    progress: { watch: { haveSeconds: 120, needSeconds: 600, met: false } },
    presence: inChat(2),
  });
  expect(shown(seen(640, 0))).toEqual(rule);
  expect(withCounted([rule], new Map([['another channel', seen(900, 3)]]), START_MS)).toEqual([rule]);
});

test('A rule that does not ask for time stays as it is', () => {
  const other = { ...rule, presence: null, progress: { ...rule.progress, watch: null } };
  expect(shown(seen(760, 2), other as never)).toEqual(other);
});

test('A page is not loaded again while a viewer’s time grows, or they come and go', () => {
  expect(needsReload(rule, seen(760, 2))).toBe(false);
  expect(needsReload(rule, seen(760, 2, { presence: { is: 'absent', lookedAtMs: START_MS + 1 } }))).toBe(
    false,
  );
  const unseen = { ...rule, presence: { is: 'unknown', lookedAtMs: null } as const };
  expect(needsReload(unseen, seen(760, 2))).toBe(false);
  expect(needsReload(rule, seen(760, 2, { attended: true }))).toBe(false);
});

test('A page is loaded again when a rule was met or a stream attended, or time stops counting or counts again', () => {
  const uncounted = { is: 'uncounted', reason: 'excluded', lookedAtMs: START_MS } as const;
  const late = { is: 'unknown', lookedAtMs: START_MS } as const;
  expect(needsReload(rule, seen(1240, 9))).toBe(true);
  expect(needsReload({ ...rule, status: 'waiting' }, seen(1240, 9))).toBe(false);
  for (const presence of [uncounted, late]) {
    expect(needsReload(rule, seen(760, 2, { presence }))).toBe(true);
    expect(needsReload({ ...rule, presence }, seen(760, 2))).toBe(true);
    expect(needsReload({ ...rule, presence }, seen(760, 2, { presence }))).toBe(false);
  }
  const streams = { haveStreams: 0, needStreams: 2, ofLastStreams: null, met: false };
  const attending = { ...rule, progress: { ...rule.progress, streams } };
  expect(needsReload(attending, seen(760, 2, { attended: true }))).toBe(true);
  expect(needsReload({ ...attending, attended: true }, seen(760, 2, { attended: true }))).toBe(false);
  expect(needsReload({ ...attending, attended: true }, seen(760, 2))).toBe(true);
});

test('A look that is older than three minutes says nothing of now, reported or loaded', () => {
  const at = (nowMs: number, counted = new Map<string, CountedThere>()) =>
    withCounted([rule], counted, nowMs)[0]?.presence;
  expect(at(START_MS + 4 * minute)).toEqual(inChat(1));
  expect(at(START_MS + 4 * minute + 1)).toEqual({ is: 'unknown', lookedAtMs: START_MS + minute });
  const reported = new Map([[rule.channel.id, seen(760, 2)]]);
  expect(at(START_MS + 5 * minute, reported)).toEqual(inChat(2));
  expect(at(START_MS + 5 * minute + 1, reported)).toEqual({
    is: 'unknown',
    lookedAtMs: START_MS + 2 * minute,
  });
});

test('A page shows the free rewards that it is told of, and is loaded again when a rule offers something else', () => {
  const offering = (free: number, pauseReason: 'owner' | null = null) =>
    seen(760, 2, { offered: [{ ruleId: rule.ruleId, pauseReason, free }] });
  const many = { ...rule, freeRewards: 3 };
  expect(shown(offering(2), many)?.freeRewards).toBe(2);
  expect(shown({ ...offering(2), presence: inChat(1) }, many)?.freeRewards).toBe(3);
  expect(needsReload(many, offering(2))).toBe(false);
  expect(needsReload(many, offering(0))).toBe(true);
  expect(needsReload({ ...rule, freeRewards: 0, status: 'outOfRewards' }, offering(2))).toBe(true);
  const chances = [{ name: 'AK-47', chance: 0.5 }] as never;
  expect(needsReload({ ...many, chances }, offering(2))).toBe(true);
  expect(needsReload(many, offering(3, 'owner'))).toBe(true);
  expect(needsReload(rule, seen(760, 2, { offered: [] }))).toBe(true);
});

test('A page is loaded again when a rule without rewards is met, once', () => {
  const empty = { ...rule, freeRewards: 0, status: 'outOfRewards' } as const;
  const there = seen(1240, 9, { offered: [{ ruleId: rule.ruleId, pauseReason: null, free: 0 }] });
  expect(needsReload(empty, there)).toBe(true);
  expect(needsReload({ ...empty, progress: { ...empty.progress, met: true } }, there)).toBe(false);
});

test('A page is loaded again when a rule is opened on the channel, and not for those that it never showed', () => {
  const other = { ruleId: 'a rule on the next page', pauseReason: null, free: 3 };
  const before = seen(760, 2);
  const after = seen(820, 3, { offered: [...before.offered, other] });
  expect([opensRule(undefined, after), opensRule(before, after), opensRule(after, after)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(opensRule(after, before)).toBe(false);
});
