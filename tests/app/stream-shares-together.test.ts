import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StreamShares } from '#app/http/stream-shares.server.ts';
import { database } from '#app/services/database.server.ts';
import { openStreams } from '#db/schema/access.ts';
import { setWeb } from './support/web.ts';

await setWeb();

const keyOf = (who: string) => `stream:${who}`;
const of = (who: string, limit = 10) => new Map([[who, limit]]);

/** The shares of one web process. All have the same database. */
function webProcess(open = database, shareEveryMs = 5) {
  const shares = new StreamShares(open, { keyOf, shareEveryMs });
  const ends: (() => void)[] = [];
  return {
    /** Opens as many streams as it may, up to this number. */
    open(who: string, times: number): number {
      let opened = 0;
      for (; opened < times && shares.mayOpen(of(who)); opened++) ends.push(shares.add(of(who)));
      return opened;
    },
    close(times: number): void {
      for (const end of ends.splice(0, times)) end();
    },
    stop: () => shares.stop(),
  };
}
const storedFor = async (who: string) =>
  (
    await (
      await database()
    ).read
      .select()
      .from(openStreams)
      .where(eq(openStreams.key, keyOf(who)))
  ).map(({ streams }) => streams);

test('Two processes have together as many streams of an account open as one may; who leaves one may open another', async () => {
  const [first, second] = [webProcess(), webProcess()];
  expect(first.open('busy', 7)).toBe(7);
  await expect.poll(() => storedFor('busy')).toEqual([7]);
  // This process knows of the others once it has told of its own.
  expect(second.open('busy', 3)).toBe(3);
  await expect.poll(async () => (await storedFor('busy')).sort()).toEqual([3, 7]);
  await expect.poll(() => second.open('busy', 1)).toBe(0);
  expect(second.open('other', 10)).toBe(10);
  first.close(5);
  await expect.poll(async () => (await storedFor('busy')).sort()).toEqual([2, 3]);
  second.close(1);
  await expect.poll(() => second.open('busy', 1)).toBe(1);
});

test('An account with few streams costs no write, and one that has left all is told of once more', async () => {
  const shares = webProcess();
  expect(shares.open('quiet', 2)).toBe(2);
  shares.close(2);
  expect(shares.open('loud', 3)).toBe(3);
  await expect.poll(() => storedFor('loud')).toEqual([3]);
  shares.close(3);
  await expect.poll(() => storedFor('loud')).toEqual([0]);
  expect(await storedFor('quiet')).toEqual([]);
});

test('Without its database a process counts alone', async () => {
  let asked = 0;
  const shares = webProcess(() => {
    asked += 1;
    return Promise.reject(new Error('away'));
  });
  expect(shares.open('alone', 9)).toBe(9);
  await expect.poll(() => asked).toBeGreaterThan(0);
  expect(shares.open('alone', 9)).toBe(1);
});

test('The streams of a stopped process do not count for the others', async () => {
  const stopping = webProcess(database, 400);
  expect(stopping.open('moved', 8)).toBe(8);
  await expect.poll(() => storedFor('moved')).toEqual([8]);
  stopping.close(8);
  await stopping.stop();
  expect(await storedFor('moved')).toEqual([0]);
});

test('One that was refused for streams elsewhere is admitted soon after those have ended', async () => {
  const [first, second] = [webProcess(), webProcess()];
  expect(first.open('later', 6)).toBe(6);
  await expect.poll(() => storedFor('later')).toEqual([6]);
  expect(second.open('later', 3)).toBe(3);
  await expect.poll(() => second.open('later', 1)).toBe(0);
  first.close(6);
  await first.stop();
  await expect.poll(() => second.open('later', 1), { timeout: 5000 }).toBe(1);
});

test('Streams are reported by one statement at a time, however slow the database is', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: ((why: Error) => void)[] = [];
  const shares = webProcess(() => new Promise((_, reject) => asked.push(reject)));
  shares.open('slow', 5);
  await vi.advanceTimersByTimeAsync(10);
  shares.open('slow too', 4);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toHaveLength(1);
  asked[0]?.(new Error('away'));
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toHaveLength(2);
});

test('Streams that are opened while the end of others is reported are counted', async () => {
  const waiting: (() => void)[] = [];
  const shares = webProcess(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return database();
  });
  shares.open('back', 4);
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.();
  await expect.poll(() => storedFor('back')).toEqual([4]);
  shares.close(4);
  await expect.poll(() => waiting.length).toBe(2);
  shares.open('back', 1);
  shares.close(1);
  shares.open('back', 6);
  waiting[1]?.();
  await expect.poll(() => storedFor('back')).toEqual([0]);
  await expect.poll(() => waiting.length).toBe(3);
  expect(shares.open('back', 10)).toBe(4);
});
