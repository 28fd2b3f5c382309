import { expect, test } from 'vitest';
import { sharedCheck } from '#platform/shared-check.ts';

test('However many ask, a check runs once at a time, and again only when its answer is old', async () => {
  let nowMs = 0;
  const running: { succeed: (answer: string) => void; fail: (error: Error) => void }[] = [];
  const ask = sharedCheck(
    () => new Promise<string>((succeed, fail) => running.push({ succeed, fail })),
    5_000,
    () => nowMs,
  );
  const [first, second] = [ask(), ask()];
  nowMs = 60_000;
  const third = ask();
  expect(running).toHaveLength(1);
  running[0]?.succeed('yes');
  expect(await Promise.all([first, second, third])).toEqual(['yes', 'yes', 'yes']);
  nowMs += 4_999;
  expect(await ask()).toBe('yes');
  nowMs += 1;
  const later = ask();
  running[1]?.fail(new Error('no'));
  await expect(later).rejects.toThrow('no');
  await expect(ask()).rejects.toThrow('no');
  nowMs += 5_000;
  const mended = ask();
  running[2]?.succeed('again');
  expect(await mended).toBe('again');
});
