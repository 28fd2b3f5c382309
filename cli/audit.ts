import { parseArgs } from 'node:util';
import type { Database } from '#db/database.ts';
import { auditCustody } from '#domain/custody/audit-custody.ts';
import { recountEnded } from '#domain/reward/recount-ended.ts';
import { recheckRuleOwners } from '#domain/transfer/recheck-rule-owners.ts';

interface AuditDeps {
  db: Database;
  nowMs: number;
  print(line: string): void;
}

export const auditUsage = `Usage: keepsake audit [--json] [--rebuild-counts]

Compares every item with the ledger, and what is counted for pages with what it was counted from: the claimed and
recalled rewards of each rule, and whose rule each claim is on. Fails if anything differs.

  --rebuild-counts  counts again what differs from what it was counted from
  --json            prints the result as JSON`;

/** Null: an option that does not exist. */
function readArgs(args: readonly string[]) {
  try {
    const options = { json: { type: 'boolean' }, 'rebuild-counts': { type: 'boolean' } } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch {
    return null;
  }
}

/** `keepsake audit`: fails if an item differs, or a count that is not rebuilt. The operator reads it here, so there is no mail. */
export async function runAudit(args: readonly string[], { db, nowMs, print }: AuditDeps): Promise<boolean> {
  const options = readArgs(args);
  if (!options) {
    print(auditUsage);
    return false;
  }
  const { items, drifts } = await auditCustody(db, { operatorEmail: null }, nowMs);
  const mend = options['rebuild-counts'] === true;
  const { found: endedRewards, left } = await recountEnded(db, { mend });
  const ruleOwners = await recheckRuleOwners(db, { mend });
  const differing = endedRewards + ruleOwners;
  const isWell = drifts.length === 0 && left === 0 && (mend || ruleOwners === 0);
  if (options.json) {
    print(JSON.stringify({ items, drifts, counts: { endedRewards, ruleOwners, left, rebuilt: mend } }));
    return isWell;
  }
  for (const { itemId, holder, rebuilt } of drifts)
    print(`item ${itemId} is with ${holder}, but the ledger leads to ${rebuilt ?? 'nowhere'}`);
  print(`${items} items compared with the ledger, ${drifts.length} differ.`);
  if (differing > 0)
    print(
      `Counts that differ from what they were counted from: ${endedRewards} of ended rewards, ${ruleOwners} owners of claims. ` +
        (mend
          ? left > 0
            ? `They were counted again, but ${left} changed each time meanwhile: run the command again.`
            : 'They are counted again.'
          : 'No item is concerned, only what pages show: keepsake audit --rebuild-counts counts them again.'),
    );
  return isWell;
}
