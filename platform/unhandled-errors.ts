import { receiverOfError } from './contained.ts';

/** A process gets this long to end in order after an unhandled error. */
const END_WITHIN_MS = 10_000;

/**
 * Ends this process when an error was handled by nobody: its state is unknown, and leases and the database recover the
 * work. The error is logged with how it came, then `end` lets running work finish. A second such error is only logged.
 * An error that something contained has caused (`contained.ts`) goes to its receiver instead.
 */
export function endOnUnhandledErrors(
  log: (error: unknown, event: string) => void,
  end: () => Promise<unknown>,
): void {
  let isEnding = false;
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error) => {
      const receive = receiverOfError();
      if (receive) {
        receive(error);
        return;
      }
      log(error, event);
      if (isEnding) return;
      isEnding = true;
      setTimeout(() => process.exit(1), END_WITHIN_MS).unref();
      Promise.resolve()
        .then(end)
        .catch((fault: unknown) => log(fault, 'shutdown'))
        .finally(() => process.exit(1));
    });
}
