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
            : { status: CheckStatus.CompileError, reason: 'not drawn' },
        ]),
      ),
    group: async (mutants) => [mutants.map(({ id }) => id)],
  };
}
drawnOnly.inject = tokens(commonTokens.options);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'texts', texts),
  declareFactoryPlugin(PluginKind.Checker, 'drawn', drawnOnly),
];
