import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { day, hour } from '#domain/kernel/time.ts';
import { type Clock, followClock, openClock, systemClock } from '#platform/clock.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';

let server: Server;
let answer: () => { status: number; body: string };
let asked = 0;
let clock: Clock | undefined;

beforeEach(async () => {
  // System time stands still, so that the offset is exact. Timers continue.
  vi.useFakeTimers({ toFake: ['Date'] });
  asked = 0;
  server = createServer((request, response) => {
    asked++;
    expect(request.url).toBe('/now');
    const { status, body } = answer();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  vi.useRealTimers();
  clock?.stop();
  clock = undefined;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const offset = (offsetMs: unknown) => () => ({ status: 200, body: JSON.stringify({ nowMs: 1, offsetMs }) });
/** Milliseconds by which the clock is ahead of system time. */
const ahead = () => (clock as Clock).now() - Date.now();
const askedAgain = (times = 2) => {
  const goal = asked + times;
  return vi.waitFor(() => expect(asked).toBeGreaterThanOrEqual(goal), { timeout: PATIENCE_MS, interval: 20 });
};

test('The clock is ahead of system time by the service’s offset, from the start', async () => {
  answer = offset(7 * day);
  clock = await followClock(url());
  expect(ahead()).toBe(7 * day);
});

test('It follows when the world is advanced, and when its clock leaps back', async () => {
  answer = offset(hour);
  clock = await followClock(url());
  answer = offset(day);
  await vi.waitFor(() => expect(ahead()).toBe(day), { timeout: PATIENCE_MS });
  answer = offset(0);
  await vi.waitFor(() => expect(ahead()).toBe(0), { timeout: PATIENCE_MS });
});

test('It keeps its offset during an outage of the service, and follows again afterwards', async () => {
  answer = offset(hour);
  clock = await followClock(url());
  answer = () => ({ status: 500, body: 'no json at all' });
  await askedAgain();
  answer = offset('soon');
  await askedAgain();
  expect(ahead()).toBe(hour);
  answer = offset(2 * hour);
  await vi.waitFor(() => expect(ahead()).toBe(2 * hour), { timeout: PATIENCE_MS });
});

test('A process whose clock service never answered does not start with the wrong time', async () => {
  const gone = url();
  await new Promise((resolve) => server.close(resolve));
  await expect(followClock(gone)).rejects.toThrow();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  answer = () => ({ status: 503, body: '{}' });
  await expect(followClock(url())).rejects.toThrow();
});

test('Without a service, domain time is system time', async () => {
  clock = await openClock(undefined);
  expect(clock).toBe(systemClock);
  expect(ahead()).toBe(0);
});
