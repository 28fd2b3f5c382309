import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { callBot, nudgeBot } from '#app/services/bot-client.server.ts';
import { processLog } from '#app/services/logger.server.ts';
import { setWebEnvironment } from './support/web-environment.ts';

test('A secret that the bot refuses is logged as an error, once until the bot accepts it', async () => {
  let [status, asked] = [401, 0];
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(status).end('{"code":"secretWrong"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  setWebEnvironment({ BOT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const logged = vi.spyOn(processLog, 'error');
  onTestFinished(() => logged.mockRestore());
  nudgeBot();
  await vi.waitFor(() => expect(logged).toHaveBeenCalledTimes(1));
  expect(await callBot('/inventory')).toEqual({ ok: false, code: 'secretWrong' });
  expect(logged.mock.calls).toEqual([[expect.stringContaining('the same BOT_SECRET')]]);
  status = 200;
  expect(await callBot('/inventory')).toMatchObject({ ok: true });
  status = 401;
  await callBot('/inventory');
  expect([asked, logged.mock.calls.length]).toEqual([4, 2]);
});
