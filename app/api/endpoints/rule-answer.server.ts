import type { Database } from '#db/database.ts';
import type { Owned } from '#domain/kernel/owned.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { getRule, type ListedRule } from '#domain/rule/list-rules.ts';
import { ruleResource } from '../present.server.ts';

/** Presents a rule, with its rewards if they are to be included. */
export const withRewards = async (db: Database, rule: Owned<ListedRule>, include: ReadonlySet<string>) =>
  ruleResource(rule, include.has('rewards') ? await listRuleRewards(db, rule) : undefined);

/** Presents a rule as it is after a call changed it; null if it is not its caller's. */
export async function ruleOf(
  db: Database,
  id: { ruleId: string; ownerId: string },
  include: ReadonlySet<string>,
) {
  const rule = await getRule(db, id);
  return rule && withRewards(db, rule, include);
}
