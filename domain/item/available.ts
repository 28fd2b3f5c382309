import { and, lte, type SQL } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';

/** An item that is in a bot's hands and not locked: only such ones are assigned, promised or returned. */
export const available = (nowMs: number | SQL) =>
  and(is(items.state, 'held'), lte(items.lockedUntilMs, nowMs));
