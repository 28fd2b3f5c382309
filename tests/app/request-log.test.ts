import { RouterContextProvider } from 'react-router';
import { expect, test, vi } from 'vitest';
import { logger } from '#app/http/logger.server.ts';
import { requestIdContext } from '#app/middleware/contexts.server.ts';
import { requestLog } from '#app/middleware/request-log.server.ts';
import { currentRequestId } from '#platform/request-id.ts';
import { setWeb } from './support/web.ts';

await setWeb();

/** The log lines for a request with this outcome. */
async function linesOf(
  status: number,
  { aborted = false, path = '/profile' } = {},
): Promise<[string, unknown][]> {
  const lines: [string, unknown][] = [];
  const spies = (['debug', 'info', 'error'] as const).map((level) =>
    vi.spyOn(logger(), level).mockImplementation((facts: unknown, words?: string) => {
      expect(facts).toMatchObject({ requestId: context.get(requestIdContext), status });
      lines.push([level, words]);
    }),
  );
  const context = new RouterContextProvider();
  const controller = new AbortController();
  const request = new Request(`http://localhost${path}`, { signal: controller.signal });
  const args = { request, params: {}, context };
  const next = async () => {
    expect(currentRequestId()).toBe(context.get(requestIdContext));
    if (aborted) controller.abort();
    return new Response(null, { status });
  };
  await requestLog(args as never, next);
  for (const spy of spies) spy.mockRestore();
  return lines;
}

test('A failed request is logged as an error, an answered one is not', async () => {
  expect(await linesOf(200)).toEqual([['info', 'request answered']]);
  expect(await linesOf(404)).toEqual([['info', 'request answered']]);
  expect(await linesOf(500)).toEqual([['error', 'request answered']]);
});

test('A request whose page was left is no error, whatever its outcome', async () => {
  expect(await linesOf(500, { aborted: true })).toEqual([['info', 'request aborted']]);
  expect(await linesOf(200, { aborted: true })).toEqual([['info', 'request aborted']]);
});

test('Health checks and measurements are logged where something is debugged, or when they fail', async () => {
  expect(await linesOf(200, { path: '/healthz' })).toEqual([['debug', 'request answered']]);
  expect(await linesOf(200, { path: '/metrics' })).toEqual([['debug', 'request answered']]);
  expect(await linesOf(503, { path: '/healthz' })).toEqual([['error', 'request answered']]);
});
