import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** A person who answers questions. */
export interface Prompt {
  /** Asks one question; the answer to a secret is not shown. Null: there is nobody to answer any more. */
  ask(question: string, options?: { secret?: boolean }): Promise<string | null>;
  /** Aborted when they have left, even while no question is open. */
  readonly left: AbortSignal;
  close(): void;
}

/** Somebody at a terminal. */
export function promptAtTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Prompt {
  let isMuted = false;
  const shown = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) output.write(chunk);
      done();
    },
  });
  const lines = createInterface({ historySize: 0, input, output: shown, terminal: true });
  const leaving = new AbortController();
  lines.once('close', () => leaving.abort());
  return {
    ask: (question, { secret = false } = {}) =>
      new Promise((resolve) => {
        if (leaving.signal.aborted) return resolve(null);
        const leave = () => resolve(null);
        lines.once('close', leave);
        // readline writes its question again after each correction; a muted one would never be seen.
        if (secret) output.write(question);
        isMuted = secret;
        lines.question(secret ? '' : question, (answer) => {
          isMuted = false;
          if (secret) output.write('\n');
          lines.off('close', leave);
          resolve(answer.trim());
        });
      }),
    left: leaving.signal,
    close: () => lines.close(),
  };
}
