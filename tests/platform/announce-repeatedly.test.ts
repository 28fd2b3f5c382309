import { expect, test, vi } from 'vitest';
import { announceRepeatedly } from '#platform/announce-repeatedly.ts';

type Answer = Awaited<ReturnType<Parameters<typeof announceRepeatedly>[0]['announce']>>;
const times = { everyMs: 1, retryMs: 1, patienceMs: 60_000 };

/** A database that gives these answers one after the other, and then the last one again. */
function answering(...answers: readonly (Answer | Error)[]) {
  const log: string[] = [];
  let asked = 0;
  return {
    log,
    asked: () => asked,
    announcement: {
      async announce(): Promise<Answer> {
        const answer = answers[Math.min(asked++, answers.length - 1)];
        if (answer instanceof Error) throw answer;
        return answer ?? 'runs';
      },
      withdraw: async () => log.push('withdrawn'),
      onWaiting: () => void log.push('waiting'),
      onOutdated: () => void log.push('outdated'),
      warn: (error: unknown) => void log.push(String((error as Error).message)),
    },
  };
}

test('A process says again and again that it runs, until it has ended', async () => {
  const { announcement, asked, log } = answering('runs');
  const announced = await announceRepeatedly(announcement, times);
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(3));
  await announced?.end();
  const last = asked();
  expect(log).toEqual(['withdrawn']);
  const next = answering('runs');
  const further = await announceRepeatedly(next.announcement, times);
  await vi.waitFor(() => expect(next.asked()).toBeGreaterThan(3));
  await further?.end();
  expect(asked(), 'while another one says so several times').toBe(last);
});

test('A process waits for the end of a migration, and does not begin if that changed what it relies on', async () => {
  const { announcement, asked, log } = answering('migrating', 'migrating', 'outdated');
  expect(await announceRepeatedly(announcement, times)).toBe(null);
  expect([asked(), log]).toEqual([3, ['waiting']]);
});

test('A process that is back while a migration watches for it says so again soon', async () => {
  const { announcement, log } = answering('outdated');
  let answer: (answer: Answer) => void = () => {};
  let asked = 0;
  const late = new Promise<Answer>((resolve) => (answer = resolve));
  const announced = await announceRepeatedly(
    { ...announcement, announce: () => (asked++ === 0 ? late : announcement.announce()) },
    { everyMs: 3_600_000, retryMs: 1, patienceMs: 1 },
  );
  expect(announced).not.toBe(null);
  answer('migrating');
  await vi.waitFor(() => expect(log).toEqual(['outdated']));
});

test('A process is kept down by no database that fails or is silent, and is told later that it is outdated', async () => {
  const failing = answering(new Error('it is away'), new Error('it is away'), 'runs', 'outdated');
  expect(await announceRepeatedly(failing.announcement, times)).not.toBe(null);
  await vi.waitFor(() => expect(failing.log).toEqual(['it is away', 'it is away', 'outdated']));
  expect(failing.asked()).toBe(4);
  let answer: (answer: Answer) => void = () => {};
  const silent = answering();
  const outdated = vi.fn();
  const announced = await announceRepeatedly(
    {
      ...silent.announcement,
      announce: () => new Promise((resolve) => (answer = resolve)),
      onOutdated: outdated,
    },
    { ...times, patienceMs: 1 },
  );
  expect(announced).not.toBe(null);
  expect(outdated).not.toHaveBeenCalled();
  answer('outdated');
  await vi.waitFor(() => expect(outdated).toHaveBeenCalledOnce());
});
