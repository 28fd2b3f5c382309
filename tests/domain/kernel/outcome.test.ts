import { expect, test } from 'vitest';
import { Refused, refusable } from '#domain/kernel/outcome.ts';

test('A refusal that undoes what was written is an answer; any other error stays one', async () => {
  const failing = (error: Error) => refusable(() => Promise.reject(error));
  expect(await failing(new Refused('itemUnavailable'))).toEqual({ ok: false, code: 'itemUnavailable' });
  await expect(failing(new Error('the disk is full'))).rejects.toThrow('the disk is full');
  expect(await refusable(async () => 'done')).toBe('done');
});
