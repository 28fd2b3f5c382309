import { onTestFinished, vi } from 'vitest';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';

/** Counts the statements that SQLite runs for some work, on all connections of this process. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const memory = new BetterSqlite(':memory:');
  const prototype = Object.getPrototypeOf(memory.prepare('select 1')) as BetterSqlite.Statement;
  memory.close();
  const ways = (['run', 'all', 'get'] as const).map((way) => vi.spyOn(prototype, way));
  onTestFinished(() => {
    for (const way of ways) way.mockRestore();
  });
  await work();
  const count = ways.reduce((sum, way) => sum + way.mock.calls.length, 0);
  for (const way of ways) way.mockRestore();
  return count;
}
