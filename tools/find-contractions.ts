const nameIn = (text: string | undefined): string => text?.replaceAll(/["`]/g, '').split('.').at(-1) ?? '';
const TABLE = '((?:["`]?\\w+["`]?\\.)?["`]?\\w+["`]?)';
const statements = {
  table: new RegExp(`^create table (?:if not exists )?${TABLE}`, 'i'),
  index: new RegExp(`^create (?:unique )?index \\S+ on ${TABLE}`, 'i'),
  change: new RegExp(`^alter table ${TABLE} add (constraint )?`, 'i'),
};

/**
 * Lists the statements of a migration that do more than add something beside what is there: they would stop processes of
 * the version before, change what those read, or keep them waiting, as an index on a filled table does.
 */
export function findContractions(text: string): string[] {
  const made = new Set<string>();
  return text
    .split('--> statement-breakpoint')
    .map((statement) => statement.replaceAll(/^\s*--.*$/gm, '').trim())
    .filter((statement) => {
      const table = statements.table.exec(statement);
      if (table) made.add(nameIn(table[1]));
      const index = statements.index.exec(statement);
      const change = statements.change.exec(statement);
      if (/;\s*\S/.test(statement)) return true;
      if (statement === '' || table || made.has(nameIn((index ?? change)?.[1]))) return false;
      const isColumn = change !== null && change[2] === undefined;
      const mayBeLeftOut = !/\bnot null\b/i.test(statement) || /\bdefault\b/i.test(statement);
      return !(isColumn && mayBeLeftOut);
    });
}
