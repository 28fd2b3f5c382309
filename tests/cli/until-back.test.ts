import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { createLog } from '../../cli/log.ts';
import { Supervisor } from '../../cli/supervisor.ts';

/** A part that runs, and a server that answers for it. One that ends is not started again: that timer is fake. */
async function setScene() {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const health = { status: 503, asked: 0 };
  const server = createServer((_request, response) => {
    health.asked += 1;
    response.writeHead(health.status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-back-'));
  const log = createLog('supervisor', 'info', { write() {} });
  const supervisor = new Supervisor({ root: resolve('.'), watching: true, log });
  supervisor.spare('bot', { ended() {}, startedAgain() {} });
  const program = 'tests/support/supervised-part.ts';
  const child = supervisor.start('bot', { program, args: [folder, 'part'] }, { PATH: process.env.PATH });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
    rmSync(folder, { recursive: true, force: true });
  });
  const askedTwice = () => {
    const before = health.asked;
    return vi.waitFor(() => expect(health.asked).toBeGreaterThan(before + 1), { timeout: PATIENCE_MS });
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { health, child, askedTwice, isBack: supervisor.untilBack('bot', url, 1) };
}

test('A part that becomes healthy only after a long time is back all the same', async () => {
  const { health, isBack, askedTwice } = await setScene();
  await askedTwice();
  vi.setSystemTime(Date.now() + 3_600_000);
  await askedTwice();
  health.status = 200;
  expect(await isBack).toBe(true);
});

test('A part that ends instead is no longer asked for', async () => {
  const { child, isBack, askedTwice } = await setScene();
  await askedTwice();
  child.kill('SIGKILL');
  expect(await isBack).toBe(false);
});
