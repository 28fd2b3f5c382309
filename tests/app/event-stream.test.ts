import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { requestListener } from '#app/http/request-listener.ts';

afterEach(() => vi.useRealTimers());

/** A fresh registry for each test: closing is final for a process. */
async function freshModule() {
  vi.resetModules();
  return import('#app/http/event-stream.server.ts');
}

const always = () => Promise.resolve(true);

function visit(signal?: AbortSignal) {
  return new Request('http://localhost:3000/events', { signal: signal ?? null });
}

async function readAll(response: Response): Promise<string> {
  return new Response(response.body).text();
}

test('events arrive in order with their ids, and the stream ends when the process stops', async () => {
  const { eventStream, closeEventStreams, openEventStreams } = await freshModule();
  const unsubscribe = vi.fn();
  const response = eventStream(
    visit(),
    (onEvent) => {
      onEvent({ id: 7, data: { reward: 1 } });
      onEvent({ event: 'note', data: 'two\nlines' });
      return unsubscribe;
    },
    always,
  );
  expect(openEventStreams()).toBe(1);
  closeEventStreams();
  expect(await readAll(response)).toBe(
    'retry: 2000\n\nid: 7\ndata: {"reward":1}\n\nevent: note\ndata: "two\\nlines"\n\n',
  );
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(openEventStreams()).toBe(0);
  expect(eventStream(visit(), () => () => {}, always).status).toBe(503);
});

test('a HEAD request subscribes to nothing and leaves nothing open', async () => {
  const { eventStream, openEventStreams } = await freshModule();
  const source = vi.fn(() => () => {});
  const request = new Request('http://localhost:3000/events', { method: 'HEAD' });
  const { status, headers, body } = eventStream(request, source, always);
  expect([status, headers.get('Content-Type'), body]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    null,
  ]);
  expect(source).not.toHaveBeenCalled();
  expect(openEventStreams()).toBe(0);
});

test('a visitor who leaves is unsubscribed once', async () => {
  const { eventStream, openEventStreams } = await freshModule();
  const unsubscribe = vi.fn();
  const leaving = new AbortController();
  const response = eventStream(visit(leaving.signal), () => unsubscribe, always);
  leaving.abort();
  await readAll(response);
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(openEventStreams()).toBe(0);
});

test('a reader that cancels is unsubscribed once', async () => {
  const { eventStream, openEventStreams } = await freshModule();
  const unsubscribe = vi.fn();
  const response = eventStream(visit(), () => unsubscribe, always);
  await response.body?.cancel();
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(openEventStreams()).toBe(0);
});

test('a reader who is thousands of events behind gets those that were buffered, and is then closed', async () => {
  const { eventStream, openEventStreams } = await freshModule();
  let report = (_: { data: number }) => {};
  const response = eventStream(
    visit(),
    (onEvent) => {
      report = onEvent;
      return () => {};
    },
    always,
  );
  for (let number = 0; number < 20_000; number++) report({ data: number });
  expect(openEventStreams()).toBe(0);
  const read = await readAll(response);
  expect(read).toMatch(/^retry: 2000\n\ndata: 0\n\ndata: 1\n\n/);
  expect(read.match(/data/g)?.length).toBeLessThan(1_010);
});

/** Opens a stream over a connection, reads its head and then nothing more. */
async function stopReading(response: () => Response): Promise<Server> {
  const served = createServer(
    requestListener({
      answer: () => Promise.resolve(response()),
      documentIn: () => null,
      compress() {},
      onError: () => new Response(null, { status: 500 }),
    }),
  );
  served.setTimeout(100);
  await once(served.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((served.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    served.close();
  });
  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'readable');
  return served;
}

test.each([
  ['whose backlog is full', 2_000, 0],
  ['who takes nothing between two keepalives', 900, 40_000],
])('a reader %s is unsubscribed, and the server cuts the connection', async (_, events, quietMs) => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const { eventStream, openEventStreams } = await freshModule();
  let report = (_: { data: string }) => {};
  const source = (onEvent: typeof report) => {
    report = onEvent;
    return () => {};
  };
  const served = await stopReading(() => eventStream(visit(), source, always));
  const connections = promisify(served.getConnections.bind(served));
  expect([openEventStreams(), await connections()]).toEqual([1, 1]);
  const data = 'x'.repeat(30_000);
  for (let number = 0; number < events; number++) report({ data });
  await vi.advanceTimersByTimeAsync(quietMs);
  expect(openEventStreams()).toBe(0);
  await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 5_000 });
});

test('a quiet stream sends keepalives', async () => {
  vi.useFakeTimers();
  const { eventStream, closeEventStreams } = await freshModule();
  const read = readAll(eventStream(visit(), () => () => {}, always));
  await vi.advanceTimersByTimeAsync(55_000);
  closeEventStreams();
  expect((await read).match(/: here\n\n/g)).toHaveLength(2);
});

test('a stream on which lines go out needs no keepalives between them', async () => {
  vi.useFakeTimers();
  const { eventStream, closeEventStreams } = await freshModule();
  let report = (_: { data: number }) => {};
  const source = (onEvent: typeof report) => {
    report = onEvent;
    return () => {};
  };
  const read = readAll(eventStream(visit(), source, always));
  for (let line = 0; line < 6; line++) {
    await vi.advanceTimersByTimeAsync(18_000);
    report({ data: line });
  }
  await vi.advanceTimersByTimeAsync(25_000);
  closeEventStreams();
  expect((await read).replace('retry: 2000\n\n', '')).toMatch(/^(data: \d\n\n){6}: here\n\n$/);
});

test('a stream ends when its reader loses access, but not when a single check fails', async () => {
  vi.useFakeTimers();
  const { eventStream, openEventStreams } = await freshModule();
  const answers = [() => Promise.resolve(true), () => Promise.reject(new Error('away'))];
  const unsubscribe = vi.fn();
  const response = eventStream(
    visit(),
    () => unsubscribe,
    () => answers.shift()?.() ?? Promise.resolve(false),
  );
  const read = readAll(response);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([openEventStreams(), answers]).toEqual([1, []]);
  await vi.advanceTimersByTimeAsync(15_000);
  await read;
  expect([openEventStreams(), unsubscribe.mock.calls]).toEqual([0, [[]]]);
});
