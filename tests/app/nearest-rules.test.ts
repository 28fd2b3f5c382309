import { expect, test } from 'vitest';
import { nearestRules } from '#app/routes/dashboard/nearest-rules.server.ts';
import { noProgress } from '#tests/support/conditions.ts';

const rule = (
  name: string,
  {
    minutes = [60, 60],
    streams = null,
    days = null,
  }: { minutes?: [number, number]; streams?: [number, number] | null; days?: [number, number] | null },
) => ({
  name,
  progress: {
    ...noProgress,
    watch: { haveSeconds: minutes[0] * 60, needSeconds: minutes[1] * 60, met: minutes[0] >= minutes[1] },
    streams: streams && {
      haveStreams: streams[0],
      needStreams: streams[1],
      ofLastStreams: null,
      met: streams[0] >= streams[1],
    },
    follow: days && { haveDays: days[0], needDays: days[1], sinceMs: 0, metAtMs: 0, met: days[0] >= days[1] },
    met: false,
  },
});

test('Closest to somebody is the rule of which least is missing over all its conditions, from half on', () => {
  const rules = [
    rule('all watched, few days', { days: [30, 300] }),
    rule('half watched', { minutes: [30, 60] }),
    rule('just less than half watched', { minutes: [29, 60] }),
    rule('watched, most days', { days: [9, 10] }),
    rule('three of four streams', { minutes: [59, 60], streams: [3, 4] }),
    rule('nothing to measure', {}),
  ];
  expect(nearestRules(rules, 6).map(({ name }) => name)).toEqual([
    'nothing to measure',
    'watched, most days',
    'three of four streams',
    'half watched',
  ]);
  expect(nearestRules(rules, 2)).toHaveLength(2);
});
