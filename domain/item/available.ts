import { and, lte, type SQL } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';

/** Matches items held by a bot and not locked. Only these can be assigned, promised or returned. */
export const available = (nowMs: number | SQL) =>
  and(is(items.state, 'held'), lte(items.lockedUntilMs, nowMs));
