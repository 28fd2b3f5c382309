import { afterEach, expect, test, vi } from 'vitest';

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
  expect(openEventStreams()).toBe(1);
  const read = await readAll(response);
  expect(read).toMatch(/^retry: 2000\n\ndata: 0\n\ndata: 1\n\n/);
  expect(read.match(/data/g)?.length).toBeLessThan(1_010);
  expect(openEventStreams()).toBe(0);
});

test('a quiet stream sends keepalives', async () => {
  vi.useFakeTimers();
  const { eventStream, closeEventStreams } = await freshModule();
  const response = eventStream(visit(), () => () => {}, always);
  await vi.advanceTimersByTimeAsync(45_000);
  closeEventStreams();
  expect((await readAll(response)).match(/: here\n\n/g)).toHaveLength(2);
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
  await vi.advanceTimersByTimeAsync(30_000);
  expect([openEventStreams(), answers]).toEqual([1, []]);
  await vi.advanceTimersByTimeAsync(15_000);
  await readAll(response);
  expect([openEventStreams(), unsubscribe.mock.calls]).toEqual([0, [[]]]);
});
