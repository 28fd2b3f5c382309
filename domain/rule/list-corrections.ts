import { desc, eq, or } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { type CorrectedValues, type RuleType, ruleCorrections, rules } from '#db/schema/rule.ts';
import { type Conditions, conditionColumns } from '#domain/condition/conditions.ts';

/** The values of a rule that corrections change. */
export type RuleValues = Conditions & { name: string; type: RuleType; claimTimeoutHours: number };

/** A correction, with the whole rule before and after it. */
export interface ListedCorrection {
  id: string;
  atMs: number;
  /** Number of the last draw before it; 0 before the first. */
  afterDraw: number;
  before: RuleValues;
  after: RuleValues;
  /** The other rule, if one took the place of the other; null if this rule was corrected in place. */
  succession: { ruleId: string; is: 'predecessor' | 'successor' } | null;
}

/** The latest corrections that are shown; there are seldom many. */
const MAX_CORRECTIONS = 50;

/** The values of a rule that corrections change, as columns of a query over rules. */
export const valueColumns = {
  name: rules.name,
  type: rules.type,
  claimTimeoutHours: rules.claimTimeoutHours,
  ...conditionColumns,
};

/**
 * Lists the latest corrections of a rule, the last one first, with that by which it took another one's place or lost
 * its own. Anybody may read them.
 */
export async function listCorrections({ read }: Database, ruleId: string): Promise<ListedCorrection[]> {
  const found = await read
    .select({
      ...valueColumns,
      id: rules.id,
      succeedsId: rules.succeedsId,
      createdAtMs: rules.createdAtMs,
    })
    .from(rules)
    .where(or(eq(rules.id, ruleId), eq(rules.succeedsId, ruleId)));
  const rule = found.find(({ id }) => id === ruleId);
  if (!rule) return [];
  const { listed, first } = await listInPlace(read, ruleId, rule);
  const successor = found.find(({ succeedsId }) => succeedsId === ruleId);
  const predecessor = rule.succeedsId === null ? null : await valuesOf(read, rule.succeedsId);
  const lost = successor && {
    id: successor.id,
    atMs: successor.createdAtMs,
    afterDraw: 0,
    before: rule,
    after: (await listInPlace(read, successor.id, successor)).first,
    succession: { ruleId: successor.id, is: 'successor' as const },
  };
  const taken = predecessor && {
    id: ruleId,
    atMs: rule.createdAtMs,
    afterDraw: 0,
    before: predecessor,
    after: first,
    succession: { ruleId: rule.succeedsId ?? '', is: 'predecessor' as const },
  };
  return [lost, ...listed, taken].filter((each) => !!each);
}

async function valuesOf(read: Reader, ruleId: string): Promise<RuleValues | null> {
  const [rule] = await read.select(valueColumns).from(rules).where(eq(rules.id, ruleId));
  return rule ?? null;
}

/** Lists the corrections in place, and what the rule was before the first of them. */
async function listInPlace(
  read: Reader,
  ruleId: string,
  rule: RuleValues,
): Promise<{ listed: ListedCorrection[]; first: RuleValues }> {
  const rows = await read
    .select()
    .from(ruleCorrections)
    .where(eq(ruleCorrections.ruleId, ruleId))
    .orderBy(desc(ruleCorrections.atMs), desc(ruleCorrections.id))
    .limit(MAX_CORRECTIONS);
  let after = rule;
  const listed = rows.map(({ id, atMs, afterDraw, before: changed }) => {
    const before = undone(after, changed);
    const one = { id, atMs, afterDraw, before, after, succession: null };
    after = before;
    return one;
  });
  return { listed, first: after };
}

/** Lists the names that a rule had before its latest corrections. */
export async function listFormerNames(q: Reader, ruleId: string): Promise<string[]> {
  const rows = await q
    .select({ before: ruleCorrections.before })
    .from(ruleCorrections)
    .where(eq(ruleCorrections.ruleId, ruleId))
    .orderBy(desc(ruleCorrections.id))
    .limit(MAX_CORRECTIONS);
  return rows.flatMap(({ before }) => before.name ?? []);
}

const undone = (values: RuleValues, before: CorrectedValues): RuleValues => ({ ...values, ...before });
