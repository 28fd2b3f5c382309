import { expect, test } from 'vitest';
import { nullableColumns } from '#db/schema/rule.ts';
import { conditionsOf, requiredColumns } from '#domain/condition/conditions.ts';
import { nothingAsked } from '#tests/support/conditions.ts';

test('Each column of which a rule needs one belongs to one condition', () => {
  expect(requiredColumns.toSorted()).toEqual(nullableColumns.toSorted());
});

test('A rule’s conditions are told without its other facts', () => {
  const rule = { ...nothingAsked, followDays: 3, name: 'Demo rule' };
  expect(conditionsOf(rule)).toEqual({ ...nothingAsked, followDays: 3 });
});
