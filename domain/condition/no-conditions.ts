/**
 * Returns whether a rule asks nothing of viewers. The form says so while it is filled in, and no such rule is
 * created. `columns` are those of all conditions; the browser lists them by its form's parts.
 */
export const hasNoConditions = <Column extends string>(
  rule: Record<Column, unknown>,
  columns: readonly Column[],
): boolean => columns.every((column) => rule[column] === null);
