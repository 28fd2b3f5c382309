import { expect, test } from 'vitest';
import { buildClock } from '#sandbox/clock/build-clock.ts';
import { createWorldClock, maxOffsetMs, maxStepMs } from '#sandbox/clock/world-clock.ts';

const dayMs = 86_400_000;

test('The world runs on system time until it is advanced', () => {
  let systemMs = 1_000_000;
  const clock = createWorldClock({ system: () => systemMs });
  expect(clock.now()).toBe(1_000_000);
  systemMs += 5;
  expect(clock.now()).toBe(1_000_005);
  expect(clock.advance(7 * dayMs)).toEqual({ ok: true, nowMs: 1_000_005 + 7 * dayMs, offsetMs: 7 * dayMs });
  expect(clock.now()).toBe(1_000_005 + 7 * dayMs);
});

test('An advance is reported, so that it can be saved', () => {
  const saved: number[] = [];
  const clock = createWorldClock({ offsetMs: 100, onAdvance: (offsetMs) => saved.push(offsetMs) });
  clock.advance(50);
  clock.advance(-50);
  expect(saved).toEqual([150]);
});

test.each([
  ['backwards', -1],
  ['nothing', 0],
  ['half a millisecond', 0.5],
  ['more than a year', maxStepMs + 1],
  ['text', '1000'],
  ['no number', Number.NaN],
  ['nothing at all', undefined],
])('The world does not advance by %s', (_what, ms) => {
  const clock = createWorldClock({ offsetMs: 42 });
  expect(clock.advance(ms).ok).toBe(false);
  expect(clock.offsetMs()).toBe(42);
});

test('The world leaps back as a host does whose clock was ahead, but not behind its machine', () => {
  const clock = createWorldClock({ system: () => 1000 });
  clock.advance(500);
  expect(clock.leapBack(300)).toEqual({ ok: true, nowMs: 1200, offsetMs: 200 });
  expect(clock.leapBack(201).ok).toBe(false);
  expect(clock.offsetMs()).toBe(200);
});

test('The world stops at ten years ahead', () => {
  const clock = createWorldClock({ offsetMs: maxOffsetMs - 10 });
  expect(clock.advance(11).ok).toBe(false);
  expect(clock.advance(10).ok).toBe(true);
});

test('The service returns the time and advances it', async () => {
  const server = buildClock(createWorldClock({ system: () => 1000 }));
  expect((await server.inject('/now')).json()).toEqual({ nowMs: 1000, offsetMs: 0 });
  const advanced = await server.inject({ method: 'POST', url: '/advance', payload: { ms: 500 } });
  expect(advanced.statusCode).toBe(200);
  expect((await server.inject('/now')).json()).toEqual({ nowMs: 1500, offsetMs: 500 });
  await server.close();
});

test('The service refuses an invalid step with a reason', async () => {
  const server = buildClock(createWorldClock());
  for (const payload of [{ ms: -5 }, { ms: 'soon' }, {}, []]) {
    const refused = await server.inject({ method: 'POST', url: '/advance', payload });
    expect(refused.statusCode).toBe(400);
    expect(refused.json().message).toMatch(/ms must be/);
  }
  expect((await server.inject({ method: 'POST', url: '/advance' })).statusCode).toBe(400);
  await server.close();
});
