import { onTestFinished, vi } from 'vitest';
import { endOnUnhandledErrors } from '#platform/unhandled-errors.ts';

const events = ['uncaughtException', 'unhandledRejection'] as const;

/** Handles errors as a process of ours does, instead of the test's own way; returns those that would end it. */
export function asInProduction(): string[] {
  const ending: string[] = [];
  vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
  const before = events.map((event) => process.listeners(event as 'uncaughtException'));
  for (const event of events) process.removeAllListeners(event);
  endOnUnhandledErrors(
    (error) => void ending.push(String(error)),
    async () => {},
  );
  onTestFinished(() => {
    events.forEach((event, nth) => {
      process.removeAllListeners(event);
      for (const listener of before[nth] ?? []) process.on(event as 'uncaughtException', listener);
    });
    vi.restoreAllMocks();
  });
  return ending;
}
