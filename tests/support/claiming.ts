import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bundleOf } from '#tests/support/processes.ts';

/** A process that claims, and its output. */
export function startClaiming(databaseUrl: string) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [bundleOf('claiming-process')], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  let errors = '';
  child.stderr.on('data', (part) => {
    errors += part;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    errors: () => errors,
    /** Gives an order and passes on the answers, until `isLast`. */
    async order<Said>(order: unknown, isLast: (said: Said) => boolean, receive: (said: Said) => void) {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`a process ended: ${errors}`);
        const said = JSON.parse(value) as Said;
        receive(said);
        if (isLast(said)) return said;
      }
    },
  };
}
