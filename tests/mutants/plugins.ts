import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Checker, CheckStatus } from '@stryker-mutator/api/check';
import type { StrykerOptions } from '@stryker-mutator/api/core';
import type { Ignorer } from '@stryker-mutator/api/ignore';
import {
  commonTokens,
  declareFactoryPlugin,
  declareValuePlugin,
  PluginKind,
  tokens,
} from '@stryker-mutator/api/plugin';
import type { Reporter } from '@stryker-mutator/api/report';
import { keyOf } from './sample.ts';

interface Node {
  type: string;
  test?: Node;
  consequent?: Node;
  alternate?: Node | null;
  expression?: Node;
  body?: Node[];
  callee?: Node;
  key?: Node;
  id?: Node;
  name?: string;
  object?: Node;
  property?: Node;
  properties?: Node[];
  arguments?: Node[];
}

/** Error messages and logs are for people; no test checks their text, and none should. */
function isText({ type, callee }: Node): boolean {
  if (type === 'NewExpression') return callee?.name?.endsWith('Error') ?? false;
  return type === 'CallExpression' && nameOf(callee?.object?.property ?? callee?.object) === 'log';
}

/** So are details that a failure quotes for the log. */
const isDetail = (node: Node, parent: Node | undefined): boolean =>
  parent?.type === 'CallExpression' && parent.callee?.name === 'failure' && parent.arguments?.[2] === node;

/** A private field has its name one level deeper. */
const nameOf = (node: Node | undefined): string | undefined => (node?.id ?? node)?.name;

/** A statement, or a block, that does nothing but log. */
function isLog({ type, expression, body }: Node): boolean {
  if (type === 'ExpressionStatement') return expression !== undefined && isText(expression);
  return type === 'BlockStatement' && Array.isArray(body) && body.length > 0 && body.every(isLog);
}

/** On such a condition only a line of the log depends. */
const decidesLog = (node: Node, parent: Node | undefined): boolean =>
  parent?.type === 'IfStatement' &&
  parent.test === node &&
  !parent.alternate &&
  parent.consequent !== undefined &&
  isLog(parent.consequent);

/** SQLite has a single writer and no named locks. The race tests on PostgreSQL check these. */
function isLock({ type, id, properties }: Node): boolean {
  if (type === 'VariableDeclarator') return id?.name?.endsWith('Lock') ?? false;
  return type === 'ObjectExpression' && properties?.length === 1 && properties[0]?.key?.name === 'lock';
}

/** The name of a column within a query: PostgreSQL refuses an empty one, SQLite takes it. */
const isAlias = ({ type }: Node, parent: Node | undefined): boolean =>
  (type === 'StringLiteral' || type === 'TemplateLiteral') &&
  parent?.type === 'CallExpression' &&
  parent.callee?.property?.name === 'as';

export const unseen: Ignorer = {
  shouldIgnore(path) {
    const { node, parent } = path as { node: Node; parent?: Node };
    if (isAlias(node, parent)) return 'a name within a query';
    if (isText(node) || isLog(node) || isDetail(node, parent) || decidesLog(node, parent))
      return 'an error or a log, for people';
    return isLock(node) ? 'a lock' : undefined;
  },
};

/** Prints each survivor as soon as it is known. */
const survivors: Reporter = {
  onMutantTested({ fileName, location: { start, end }, mutatorName, replacement, status, coveredBy = [] }) {
    if (status !== 'Survived' && status !== 'NoCoverage') return;
    const lines = readFileSync(fileName, 'utf8')
      .split('\n')
      .slice(start.line - 1, end.line);
    lines.push(lines.pop()?.slice(0, end.column - 1) ?? '');
    const original = lines.join('\n').slice(start.column - 1);
    const place = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`;
    console.log(
      `${place} ${mutatorName}, ${status === 'Survived' ? `noticed by none of ${coveredBy.length} tests` : 'met by no test'}`,
    );
    for (const text of [original, replacement]) console.log(`    ${text.replace(/\s+/g, ' ').slice(0, 140)}`);
  },
};

export const NOT_DRAWN = 'not drawn';

/** Passes only the sampled mutants. */
function drawnOnly(options: StrykerOptions): Checker {
  const drawn = new Set(options.drawn as string[]);
  return {
    init: async () => {},
    check: async (mutants) =>
      Object.fromEntries(
        mutants.map((mutant) => [
          mutant.id,
          drawn.has(keyOf(mutant))
            ? { status: CheckStatus.Passed }
            : { status: CheckStatus.CompileError, reason: NOT_DRAWN },
        ]),
      ),
    group: async (mutants) => [mutants.map(({ id }) => id)],
  };
}
drawnOnly.inject = tokens(commonTokens.options);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Reporter, 'survivors', survivors),
  declareValuePlugin(PluginKind.Ignore, 'unseen', unseen),
  declareFactoryPlugin(PluginKind.Checker, 'drawn', drawnOnly),
];
