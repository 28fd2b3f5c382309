import { createRequire } from 'node:module';

/** What Twurple repeats its calls with, as far as it matters here. */
interface Retry {
  timeouts(options: object): number[];
}

const HURRY = 25;

/**
 * Twurple repeats a failed call as often as ever, but not after half a second, one and two: nobody can set these pauses,
 * and a test that lets calls fail would do little but wait. Answers with what sets them back.
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
