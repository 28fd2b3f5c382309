import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.useRealTimers());

/** A registry of its own for each test: closing is final for a process. */
async function freshModule() {
  vi.resetModules();
  return import('#app/services/event-stream.server.ts');
}

function visit(signal?: AbortSignal) {
  return new Request('http://localhost:3000/events', { signal: signal ?? null });
}

async function readAll(response: Response): Promise<string> {
  return new Response(response.body).text();
}

test('events arrive in order with their ids, and the stream ends when the process stops', async () => {
  const { eventStream, closeEventStreams, openEventStreams } = await freshModule();
  const unsubscribe = vi.fn();
  const response = eventStream(visit(), (onEvent) => {
    onEvent({ id: 7, data: { reward: 1 } });
    onEvent({ event: 'note', data: 'two\nlines' });
    return unsubscribe;
  });
  expect(openEventStreams()).toBe(1);
  closeEventStreams();
  expect(await readAll(response)).toBe(
    'retry: 2000\n\nid: 7\ndata: {"reward":1}\n\nevent: note\ndata: "two\\nlines"\n\n',
  );
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(openEventStreams()).toBe(0);
  expect(eventStream(visit(), () => () => {}).status).toBe(503);
});

test('a visitor who leaves is unsubscribed once', async () => {
  const { eventStream, openEventStreams } = await freshModule();
  const unsubscribe = vi.fn();
  const leaving = new AbortController();
  const response = eventStream(visit(leaving.signal), () => unsubscribe);
  leaving.abort();
  await readAll(response);
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(openEventStreams()).toBe(0);
});

test('a reader that cancels is unsubscribed once', async () => {
  const { eventStream, openEventStreams } = await freshModule();
  const unsubscribe = vi.fn();
  const response = eventStream(visit(), () => unsubscribe);
  await response.body?.cancel();
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(openEventStreams()).toBe(0);
});

test('a quiet stream shows that it is there', async () => {
  vi.useFakeTimers();
  const { eventStream, closeEventStreams } = await freshModule();
  const response = eventStream(visit(), () => () => {});
  await vi.advanceTimersByTimeAsync(45_000);
  closeEventStreams();
  expect((await readAll(response)).match(/: here\n\n/g)).toHaveLength(2);
});
