const nameIn = (text: string | undefined): string => text?.replaceAll(/["`]/g, '').split('.').at(-1) ?? '';
const TABLE = '((?:["`]?\\w+["`]?\\.)?["`]?\\w+["`]?)';
const statements = {
  table: new RegExp(`^create table (?:if not exists )?${TABLE}`, 'i'),
  index: new RegExp(`^create (?:unique )?index \\S+ on ${TABLE}`, 'i'),
  change: new RegExp(`^alter table ${TABLE} add `, 'i'),
};
/** Begins an addition other than a column, which is checked or built for all rows. */
const NO_NAME = '(?!(?:constraint|check|unique|primary|foreign|exclude|index|period)\\b)';
const LITERAL = "(?:-?\\d+(?:\\.\\d+)?|'(?:[^']|'')*'|true|false|null)(?:::\\w+)?";
/** One column and nothing else, which rows may lack or have from a literal. */
const column = new RegExp(
  `^alter table ${TABLE} add (?:column )?${NO_NAME}["\`]?\\w+["\`]? (?!\\w*serial\\b)\\w+(?: default ${LITERAL}(?: not null)?)?;?$`,
  'i',
);

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
      return !column.test(statement);
    });
}
