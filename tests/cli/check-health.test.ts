import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { localUrl } from '#platform/listen-address.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { findHealthFaults } from '../../cli/check-health.ts';

test.each([
  [undefined, 'http://127.0.0.1:3000'],
  ['', 'http://127.0.0.1:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://127.0.0.1:3000'],
  ['192.0.2.7', 'http://192.0.2.7:3000'],
  ['2001:db8::7', 'http://[2001:db8::7]:3000'],
])('A process that listens on %s is reached at %s', (host, url) => {
  expect(localUrl(host, 3000)).toBe(url);
});

async function serveOn(host: string, status: number): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status).end()).listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

/** In a process of its own, which may also ask another loopback address than the tests'. */
const check = (names: string[], environment: Record<string, string>): Promise<{ stderr: string }> =>
  promisify(execFile)(process.execPath, [bundleOf('healthcheck'), ...names], {
    env: { PATH: process.env.PATH, ...environment },
  }).catch((error: { stderr: string }) => error);

test('A process that listens on one address alone is asked there', async () => {
  const port = await serveOn('127.0.0.2', 200);
  const environment = { HOST: '127.0.0.2', PORT: port, BOT_PORT: '1' };
  expect((await check([], environment)).stderr).toBe('bot does not answer\n');
  expect((await check(['bot'], { ...environment, BOT_PORT: port })).stderr).toBe('');
  expect((await check(['web'], { PORT: port })).stderr).toBe('web does not answer\n');
});

test('A process that is not well is named with its answer', async () => {
  const environment = { PORT: await serveOn('127.0.0.1', 503) };
  expect(await findHealthFaults(['web'], environment)).toEqual(['web answers 503']);
  expect(await findHealthFaults(['nobody'], environment)).toEqual(['there is no process nobody']);
});

test('`keepsake healthcheck` does the same', () => {
  const { status, stdout } = spawnSync(process.execPath, [bundleOf('keepsake'), 'healthcheck', 'web'], {
    env: { PATH: process.env.PATH, PORT: '1' },
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: 'web does not answer\n' });
});
