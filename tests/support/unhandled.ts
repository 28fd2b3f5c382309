// A process in which an error is handled by nobody: `unhandled.ts uncaughtException|unhandledRejection|twice|stuck`.
import { endOnUnhandledErrors } from '#platform/unhandled-errors.ts';

const [kind] = process.argv.slice(2);
endOnUnhandledErrors(
  (error, event) => console.log(event, String(error)),
  async () => {
    console.log('ending in order');
    if (kind === 'twice') {
      setImmediate(() => {
        throw new Error('second');
      });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (kind === 'stuck') throw new Error('cannot end');
    console.log('ended');
  },
);
setInterval(() => {}, 1000);
if (kind === 'unhandledRejection') void Promise.reject(new Error('planted'));
else
  setImmediate(() => {
    throw new Error('planted');
  });
