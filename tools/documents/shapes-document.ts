import { z } from 'zod';
import { stripeShapes } from '../../billing/answer-shapes.ts';
import { steamShapes } from '../../bot/steam/answer-shapes.ts';
import { twitchShapes } from '../../bot/twitch/answer-shapes.ts';
import type { AnswerShape } from '../../platform/answers/odd-answer.ts';

/** The day on which the schemas were last changed. They say what the code and the packages read. */
const CHANGED_ON = '2026-11-29';

const head = `# Answers of the platforms

The fields of Steam's, Twitch's and Stripe's answers by which something is decided, as the code and its packages read them on ${CHANGED_ON}. The code compares each answer with them. What differs is listed on \`/operator\` and by \`keepsake doctor\`, and \`keepsake shapes\` reports it. A report that is laid in \`sandbox/shapes\` is replayed by the sandbox.

Written by \`npm run docs:shapes\` from \`bot/steam/answer-shapes.ts\`, \`bot/twitch/answer-shapes.ts\` and \`billing/answer-shapes.ts\`.
`;

const reactionWords: Record<AnswerShape['reaction'], string> = {
  noAnswer: 'counts as no answer',
  rowSkipped: 'that row is left out',
  pending: 'counts as not ended',
  ignored: 'ignored',
  unknown: 'that fact counts as unknown',
  lowest: 'counts as the lowest tier',
  refused: 'counts as a refusal like others',
  readAsIs: 'read as it came',
};

type Schema = z.core.JSONSchema.BaseSchema;

const constantOf = (value: unknown): string => (value === '' ? 'an empty text' : String(value));

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map(constantOf).join(', ');
  if (schema.const !== undefined) return constantOf(schema.const);
  const options = schema.anyOf as Schema[] | undefined;
  const types = options?.map(typeOf) ?? [schema.type ?? 'anything'].flat();
  return [...new Set(types)].join(' or ');
}

/** The single fields of a schema, each with its path; a list's rows have `[]`. */
function fieldsOf(schema: Schema, path: string, isRequired: boolean): string[][] {
  const [whole] = ((schema.anyOf as Schema[] | undefined) ?? [schema]).filter(
    ({ type }) => type === 'object' || type === 'array',
  );
  if (whole?.type === 'array') return fieldsOf(whole.items as Schema, `${path}[]`, isRequired);
  if (whole?.type !== 'object') return [[path, typeOf(schema), isRequired ? 'yes' : 'no']];
  return Object.entries(whole.properties ?? {}).flatMap(([key, each]) =>
    fieldsOf(each as Schema, path === '' ? key : `${path}.${key}`, whole.required?.includes(key) === true),
  );
}

function wordsOf({ reaction, reactions = {}, newValues = {} }: AnswerShape, path: string): string {
  const usual = reactionWords[reactions[path] ?? reaction];
  const forNew = newValues[path];
  return forNew ? `${usual}; a new value: ${reactionWords[forNew]}` : usual;
}

function sectionOf(shape: AnswerShape): string {
  const { place, schema, source } = shape;
  const rows = fieldsOf(z.toJSONSchema(schema) as Schema, '', true).map(
    ([path = '', type, required]) => `| \`${path}\` | ${type} | ${required} | ${wordsOf(shape, path)} |`,
  );
  return [
    `### ${place}`,
    '',
    `Source: <${source}>`,
    '',
    '| field | type or values | always there | if it differs |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

const chapterOf = (title: string, shapes: readonly AnswerShape[]): string =>
  [`## ${title}`, '', ...shapes.map(sectionOf)].join('\n');

/** The page about the shapes of answers, by its path. */
export const shapesDocument = (): Record<string, string> => ({
  'docs/platform-answers.md': [
    head,
    chapterOf('Steam', steamShapes),
    chapterOf('Twitch', twitchShapes),
    chapterOf('Stripe', stripeShapes).trimEnd(),
    '',
  ].join('\n'),
});
