import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { isRefused } from '#domain/condition/channel-points.ts';
import { type Conditions, conditionColumns } from '#domain/condition/conditions.ts';
import { countFree } from '#domain/rule/list-rules.ts';

export interface OpenRule extends Conditions {
  id: string;
  name: string;
  freeRewards: number;
  /** True while Twitch refuses its custom reward. */
  pointsRefused: boolean;
}

const readOpen = statement('open_rules', (q) =>
  q
    .select({ id: rules.id, name: rules.name, pointsRefused: isRefused(), ...conditionColumns })
    .from(rules)
    .where(and(eq(rules.channelId, sql.placeholder('channelId')), is(rules.state, 'open')))
    .orderBy(asc(rules.createdAtMs), asc(rules.id)),
);

/** Lists a channel's open rules, oldest first, with the number of rewards left. */
export async function listOpenRules(db: Database, channelId: string): Promise<OpenRule[]> {
  const open = await readOpen(db.read, { channelId });
  const free = await countFree(
    db,
    open.map((rule) => rule.id),
  );
  return open.map((rule) => ({ ...rule, freeRewards: free.get(rule.id) ?? 0 }));
}
