import { expect, test } from 'vitest';
import { type CountedThere, needsReload, withCounted } from '#app/routes/progress/counted-progress.ts';
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
  isStamped: false,
  ...more,
});
const shown = (there: CountedThere, of = rule) => withCounted([of], new Map([[of.channel.id, there]]))[0];

test('A page adds the time that was counted since it was loaded, and never takes any away', () => {
  expect(shown(seen(760, 2))).toMatchObject({
    progress: { watch: { haveSeconds: 120, needSeconds: 600, met: false } },
    presence: inChat(2),
  });
  expect(shown(seen(640, 0))).toEqual(rule);
  expect(withCounted([rule], new Map([['another channel', seen(900, 3)]]))).toEqual([rule]);
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
  expect(needsReload(rule, seen(760, 2, { isStamped: true }))).toBe(false);
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
  expect(needsReload(attending, seen(760, 2, { isStamped: true }))).toBe(true);
});
