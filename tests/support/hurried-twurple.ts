import { createRequire } from 'node:module';

/** The parts of Twurple's retry helper that matter here. */
interface Retry {
  timeouts(options: object): number[];
}

const HURRY = 25;

/**
 * Twurple repeats failed calls after half a second, one and two, which cannot be configured; tests with failing calls
 * would mostly wait. This shortens the pauses, not the number of attempts. Returns a function that restores them.
 */
export function hurryTwurple(): () => void {
  const twurple = createRequire(import.meta.resolve('@twurple/api'));
  const retry = twurple('retry') as Retry;
  const usual = retry.timeouts;
  retry.timeouts = (options) => usual.call(retry, options).map((ms) => ms / HURRY);
  return () => {
    retry.timeouts = usual;
  };
}
