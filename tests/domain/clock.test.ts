import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Clock, day, followClock, hour, openClock, systemClock } from '#domain/clock.ts';

let server: Server;
let answer: () => { status: number; body: string };
let asked = 0;
let clock: Clock | undefined;

beforeEach(async () => {
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
  clock?.stop();
  clock = undefined;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const offset = (offsetMs: unknown) => () => ({ status: 200, body: JSON.stringify({ nowMs: 1, offsetMs }) });
/** How far the clock is ahead of the system’s own. */
const ahead = () => (clock as Clock).now() - Date.now();
const askedAgain = (times = 2) => {
  const goal = asked + times;
  return vi.waitFor(() => expect(asked).toBeGreaterThanOrEqual(goal), { timeout: 10_000, interval: 20 });
};

test('The clock is ahead of the system by what the service says, from the first moment on', async () => {
  answer = offset(7 * day);
  clock = await followClock(url());
  expect(ahead()).toBeGreaterThanOrEqual(7 * day - 5);
  expect(ahead()).toBeLessThan(7 * day + 1000);
});

test('It follows when the world is advanced, and never goes back', async () => {
  answer = offset(hour);
  clock = await followClock(url());
  answer = offset(day);
  await vi.waitFor(() => expect(ahead()).toBeGreaterThanOrEqual(day - 5), { timeout: 10_000 });
  answer = offset(0);
  await askedAgain();
  expect(ahead()).toBeGreaterThanOrEqual(day - 5);
});

test('It keeps its offset while the service is in trouble, and goes on following afterwards', async () => {
  answer = offset(hour);
  clock = await followClock(url());
  answer = () => ({ status: 500, body: 'no json at all' });
  await askedAgain();
  answer = offset('soon');
  await askedAgain();
  expect(ahead()).toBeGreaterThanOrEqual(hour - 5);
  expect(ahead()).toBeLessThan(hour + 1000);
  answer = offset(2 * hour);
  await vi.waitFor(() => expect(ahead()).toBeGreaterThanOrEqual(2 * hour - 5), { timeout: 10_000 });
});

test('A process that is pointed to a clock which never answered does not start with the wrong time', async () => {
  const gone = url();
  await new Promise((resolve) => server.close(resolve));
  await expect(followClock(gone)).rejects.toThrow();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  answer = () => ({ status: 503, body: '{}' });
  await expect(followClock(url())).rejects.toThrow();
});

test('Without a service the system’s own time is the domain’s', async () => {
  clock = await openClock(undefined);
  expect(clock).toBe(systemClock);
  expect(Math.abs(ahead())).toBeLessThan(1000);
});
