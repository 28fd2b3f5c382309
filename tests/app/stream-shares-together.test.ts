import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { StreamShares } from '#app/http/stream-shares.server.ts';
import { database } from '#app/services/database.server.ts';
import { openStreams } from '#db/schema/access.ts';
import { setWeb } from './support/web.ts';

await setWeb();

const keyOf = (who: string) => `stream:${who}`;
const of = (who: string, limit = 10) => new Map([[who, limit]]);

/** The shares of one web process. All have the same database. */
function webProcess(open = database) {
  const shares = new StreamShares(open, { keyOf, shareEveryMs: 5 });
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
