import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openStreams } from '#db/schema/access.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { shareStreams } from '#domain/identity/access/share-streams.ts';
import { hour } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { START_MS } from '#tests/support/fixtures.ts';

test('Each process learns what all others have open under its keys, and is counted by its last word', async () => {
  await using db = await openTestDatabase();
  const share = async (process: string, open: Record<string, number>) =>
    Object.fromEntries(await shareStreams(db, { process, open: new Map(Object.entries(open)) }));
  expect(await share('one', { busy: 3, left: 4, alone: 5 })).toEqual({});
  expect(await share('two', { busy: 2, left: 1, quiet: 7 })).toEqual({ busy: 3, left: 4 });
  expect(await share('one', { left: 0 })).toEqual({ left: 1 });
  expect(await share('three', { alone: 1, busy: 1, left: 1 })).toEqual({ alone: 5, busy: 5, left: 1 });
  await db.transaction(async (tx) => {
    await tx.update(openStreams).set({ untilMs: 1 }).where(eq(openStreams.process, 'two')).returning();
  });
  expect(await share('three', { busy: 1, quiet: 1 })).toEqual({ busy: 3 });
  await pruneAccess(db, START_MS, Date.now() + hour / 2);
  const rows = await db.read.select().from(openStreams);
  expect(new Set(rows.map(({ process }) => process))).toEqual(new Set(['one', 'three']));
});
