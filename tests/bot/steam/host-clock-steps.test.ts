import { beforeEach, expect, test, vi } from 'vitest';
import { Patience } from '#bot/steam/transfers/patience.ts';
import { hour } from '#domain/kernel/time.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';
import { setScene } from '#tests/support/scene.ts';
import { uncertainDeposit } from '#tests/support/uncertain-deposit.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const steps = [9, -9];

test.each(steps)(
  'A pause and a wait are as long when the host’s clock is set by %d hours meanwhile',
  (hours) => {
    const patience = new Patience();
    patience.pause('one', { firstMs: 1000, longestMs: 1000 });
    expect(patience.isOver('other', 1000)).toBe(false);
    stepHostClock(hours * hour);
    passTime(999);
    expect([patience.leftMs('one'), patience.ageMs('other')]).toEqual([1, 999]);
    stepHostClock(-2 * hours * hour);
    passTime(1);
    expect([patience.isPaused('one'), patience.isOver('other', 1000)]).toEqual([false, true]);
  },
);

test.each(steps)(
  'Two looks for an offer without an answer are a pause apart, the clock set by %d hours or not',
  async (hours) => {
    const { work, round, state } = await uncertainDeposit({ offers: [], unreadable: 0 });
    passTime(work.pace.absenceMs);
    await round();
    stepHostClock(hours * hour);
    passTime(work.pace.absenceMs - 1);
    await round();
    expect(await state()).toBe('uncertain');
    passTime(1);
    await round();
    expect(await state()).toBe('queued');
  },
);
