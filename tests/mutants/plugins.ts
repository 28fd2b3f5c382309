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
  callee?: Node;
  name?: string;
  object?: Node;
  property?: Node;
}

/** Texts of errors and logs are for people; no test holds them, and none should. */
export const texts: Ignorer = {
  shouldIgnore(path) {
    const { type, callee } = (path as { node: Node }).node;
    const isError = type === 'NewExpression' && callee?.name?.endsWith('Error');
    const isLog = type === 'CallExpression' && (callee?.object?.property ?? callee?.object)?.name === 'log';
    return isError || isLog ? 'a text of an error or a log' : undefined;
  },
};

/** Tells of each mutant that no test noticed, as soon as that is known. */
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

/** Lets through only what was drawn. */
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
  declareValuePlugin(PluginKind.Ignore, 'texts', texts),
  declareFactoryPlugin(PluginKind.Checker, 'drawn', drawnOnly),
];
