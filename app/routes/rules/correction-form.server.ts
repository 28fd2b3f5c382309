import type { RuleValues } from '#domain/rule/list-corrections.ts';
import { conditionParts } from './conditions/condition-parts.ts';

/** The fields of the form with the values of a rule, as its streamer would have entered them. */
export function enteredFor(rule: RuleValues): Record<string, string> {
  const values: Record<string, unknown> = { ...rule };
  const textOf = (name: string) => String(values[name] ?? '');
  const entered = conditionParts.flatMap(([key, { column, amount, limit, answers }]) => [
    [key, rule[column] === null ? '' : 'on'],
    ...(amount ? [[amount.field, textOf(column)]] : []),
    ...(limit ? [[limit.field, textOf(limit.column)]] : []),
    ...Object.keys(answers).map((field) => [field, textOf(field)]),
  ]);
  const minutes = rule.watchMinutes ?? 0;
  const hourly = minutes % 60 === 0;
  return {
    name: rule.name,
    type: rule.type,
    claimTimeoutHours: String(rule.claimTimeoutHours),
    ...Object.fromEntries(entered),
    watchAmount: String(hourly ? minutes / 60 : minutes),
    watchUnit: hourly ? 'hours' : 'minutes',
  };
}
