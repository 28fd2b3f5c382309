import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requestTurns } from '#app/http/request-turns.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Requests that end on command. */
function stage() {
  const turns = requestTurns();
  const running: (() => void)[] = [];
  const begun: string[] = [];
  const answer = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      running.push(() => resolve(name));
    });
  return {
    begun,
    page: (name = 'page') => turns.page(answer(name)),
    webhooks: (count: number, bytes = 10_000) =>
      Array.from({ length: count }, () => turns.webhook(answer('webhook'), bytes)),
    turns,
    /** Ends all that run. */
    async end() {
      for (const end of running.splice(0)) end();
      await pass(0);
    },
  };
}

/** Lets time pass. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

const count = (begun: readonly string[], name = 'webhook') => begun.filter((each) => each === name).length;

test('Webhooks are answered ten at a time, at once where nobody asks for pages', async () => {
  const { begun, webhooks, end } = stage();
  const answers = webhooks(25);
  await pass(1);
  expect(count(begun)).toBe(10);
  await end();
  await pass(1);
  expect(count(begun)).toBe(20);
  await end();
  await pass(1);
  expect(count(begun)).toBe(25);
  await end();
  expect(await Promise.all(answers)).toHaveLength(25);
});

test('A page is answered at once, and webhooks begin when it is', async () => {
  const { begun, page, webhooks, end } = stage();
  void page();
  webhooks(3);
  await pass(100);
  expect(begun).toEqual(['page']);
  await end();
  await pass(1);
  expect(begun).toEqual(['page', 'webhook', 'webhook', 'webhook']);
  void page('second page');
  expect(begun.at(-1)).toBe('second page');
});

test('After some webhooks, pages have twice the time that those took', async () => {
  const { begun, page, webhooks, end } = stage();
  void page();
  await end();
  webhooks(20);
  await pass(1);
  await pass(9);
  await end();
  await pass(15);
  expect(count(begun)).toBe(10);
  await pass(10);
  expect(count(begun)).toBe(20);
});

test('Webhooks do not wait for ever while pages never end', async () => {
  const { begun, page, webhooks } = stage();
  void page();
  webhooks(1);
  await pass(240);
  expect(count(begun)).toBe(0);
  await pass(20);
  expect(count(begun)).toBe(1);
});

test('A webhook that fails ends its turn', async () => {
  const { begun, webhooks, turns } = stage();
  const failed = turns.webhook(() => Promise.reject(new Error('lost')), 10_000);
  webhooks(1);
  await Promise.all([expect(failed).rejects.toThrow('lost'), pass(5)]);
  expect(count(begun)).toBe(1);
});

test('Two thousand webhooks may wait, and no more', async () => {
  const { page, webhooks, turns } = stage();
  void page();
  webhooks(2000);
  expect(await turns.webhook(async () => 'taken', 1)).toBeNull();
});

test('Webhooks that wait may be so large together, and no larger', async () => {
  const { begun, end, page, webhooks, turns } = stage();
  void page();
  webhooks(128, 256 * 1024);
  expect(await turns.webhook(async () => 'taken', 1)).toBeNull();
  await pass(250);
  expect(count(begun)).toBe(10);
  webhooks(10, 256 * 1024);
  expect(await turns.webhook(async () => 'taken', 1)).toBeNull();
  await end();
});
