import { expect, test } from 'vitest';
import { verdictOfLogOn } from '#bot/steam/log-on-fault.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';

const again = (pauseMs: number, maxPauseMs: number) => ({ again: true, pauseMs, maxPauseMs });

test('What Steam answers to a log-on tells whether it is tried again, and when', () => {
  const verdicts: [fault: string, next: object, results: number[]][] = [
    ['credentialsRefused', { again: false }, [5, 15, 18, 27]],
    ['accountDisabled', { again: false }, [43, 73]],
    ['guardCodeRefused', { again: false }, [63, 85]],
    ['guardCodeRefused', again(35 * second, hour), [65, 88]],
    ['sessionTaken', again(2 * minute, hour), [6, 34]],
    ['loginsLimited', again(30 * minute, 4 * hour), [84, 87]],
    // No connection, a service that is down, and what nobody has seen yet.
    ['steamUnavailable', again(10 * second, 10 * minute), [3, 20, 9999, Number.NaN]],
  ];
  for (const [fault, next, results] of verdicts)
    for (const result of results) expect(verdictOfLogOn(result), `${result}`).toEqual({ fault, next });
});
