function* causesOf(error: unknown): Generator<{ code?: unknown }> {
  let cause = error as { code?: unknown; cause?: unknown } | undefined;
  for (; cause && typeof cause === 'object'; cause = cause.cause as typeof cause) yield cause;
}

/** Returns the database's own error code, however deeply the driver wrapped it. */
export function errorCode(error: unknown): string {
  for (const cause of causesOf(error)) if (typeof cause.code === 'string') return cause.code;
  return '';
}
