function* causesOf(error: unknown): Generator<{ code?: unknown; message?: unknown }> {
  let cause = error as { code?: unknown; message?: unknown; cause?: unknown } | undefined;
  for (; cause && typeof cause === 'object'; cause = cause.cause as typeof cause) yield cause;
}

/** Returns the database's own error code, however deeply the driver wrapped it. */
export function errorCode(error: unknown): string {
  for (const cause of causesOf(error)) if (typeof cause.code === 'string') return cause.code;
  return '';
}

/** Returns whether a statement failed because the database has not had the step that makes a table or a column of it. */
export function isNotMigrated(error: unknown): boolean {
  if (['42P01', '42703'].includes(errorCode(error))) return true;
  for (const { message } of causesOf(error)) if (/^no such (table|column)/.test(String(message))) return true;
  return false;
}
