import { steadyMs } from './steady-time.ts';

/** Runs a check at most once in `freshMs`, and never twice at a time, however many ask: they share its answer. */
export function sharedCheck<T>(
  check: () => Promise<T>,
  freshMs: number,
  nowMs: () => number = steadyMs,
): () => Promise<T> {
  let last: { answer: Promise<T>; endedAtMs: number | null } | null = null;
  return () => {
    if (last && (last.endedAtMs === null || nowMs() - last.endedAtMs < freshMs)) return last.answer;
    const begun: NonNullable<typeof last> = { answer: check(), endedAtMs: null };
    const end = () => {
      begun.endedAtMs = nowMs();
    };
    begun.answer.then(end, end);
    last = begun;
    return begun.answer;
  };
}
