import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './documents/scale-tables.ts';

writeFileSync('docs/scale.md', withTables(readFileSync('docs/scale.md', 'utf8')));
