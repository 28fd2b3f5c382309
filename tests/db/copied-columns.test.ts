import { expect, test } from 'vitest';
import { copiedFromNowhere } from '../../tools/copied-columns.ts';

const before = { tables: { rules: { columns: { id: {}, name: {} } }, users: { columns: { id: {} } } } };
const copy = (table: string, columns: string) =>
  `INSERT INTO \`__new_${table}\`(${columns}) SELECT ${columns} FROM \`${table}\`;--> statement-breakpoint\n`;

test('A rebuilt table takes over only the columns that it had', () => {
  const ddl = `CREATE TABLE \`__new_rules\` (\n\t\`id\` text\n);\n${copy('rules', '"id", "name"')}${copy('users', '"id"')}`;
  expect(copiedFromNowhere(ddl, before)).toEqual([]);
});

test('A column that comes with the same migration is named, with its table', () => {
  const ddl = `${copy('rules', '"id", "name", "streams", "of_last"')}${copy('users', '"id"')}`;
  expect(copiedFromNowhere(ddl, before)).toEqual(['rules.streams', 'rules.of_last']);
});
