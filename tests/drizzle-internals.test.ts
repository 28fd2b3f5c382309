// drizzle may change what it does not document in any version: one file would have to follow.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rooms = ['app', 'billing', 'bot', 'cli', 'db', 'domain', 'platform', 'tools'];
const files = execFileSync('git', ['ls-files', '--cached', ...rooms], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file));

/** Names of members that drizzle's documentation does not mention. */
const internals =
  /\b(?:customResultMapper|executeMethod|joinsNotNullableMap|prepareOneTimeQuery|prepareQuery|queryChunks|queryConfig|rawQueryConfig|shouldInlineParams)\b|\.(?:\$client|_|decoder|dialect|encoder|session)\b|Symbol\.for\('drizzle/;

const importsDrizzle = (source: string) => /from 'drizzle-orm|import\('drizzle-orm/.test(source);

test('Only one file touches what drizzle does not document', () => {
  const touching = files.filter((file) => {
    const source = readFileSync(file, 'utf8');
    return importsDrizzle(source) && internals.test(source);
  });
  expect(touching).toEqual(['db/engine/quick-statement.ts']);
});
