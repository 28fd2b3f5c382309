import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { countedInCustody, items } from '#db/schema/item.ts';

/** Lists the kinds of a streamer's items in custody, by their names alone. */
export const listKinds = ({ read }: Database, { ownerId }: { ownerId: string }) =>
  read
    .selectDistinct({ appId: items.appId, marketHashName: items.marketHashName, traits: items.traits })
    .from(items)
    .where(and(eq(items.ownerId, ownerId), within(items.state, countedInCustody)));
