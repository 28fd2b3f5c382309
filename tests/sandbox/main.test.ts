import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '#sandbox/config.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { bundleOf } from '#tests/support/processes.ts';

let directory: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keepsake-main-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

function run(environment: Record<string, string>) {
  const child = spawn(process.execPath, [bundleOf('sandbox')], {
    env: { PATH: process.env.PATH ?? '', SANDBOX_DIR: directory, LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  return { child, said, ended: once(child, 'exit') };
}

async function startMain(first: number) {
  const process = run({ SANDBOX_PORTS_FROM: String(first) });
  await expect.poll(() => process.said.out + process.said.err).toContain('\n');
  return { ...process, ready: JSON.parse(process.said.out) };
}

test('The process reports when it is ready, ends on SIGTERM despite idle connections, and restarts with the same state', async () => {
  const first = await findFreePorts(8);
  const one = await startMain(first);
  expect(one.ready).toMatchObject({
    ready: true,
    panel: `http://localhost:${first}`,
    twitch: `http://localhost:${first + 1}`,
    steamProxy: `http://127.0.0.1:${first + 2}`,
    steamHttp: `http://localhost:${first + 3}`,
    smtp: `smtp://127.0.0.1:${first + 4}`,
    clock: `http://127.0.0.1:${first + 5}`,
    stripe: `http://localhost:${first + 6}`,
    push: `http://127.0.0.1:${first + 7}`,
    environmentFile: join(directory, 'product.env.json'),
  });
  await fetch(`${one.ready.clock}/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ms: 3_600_000 }),
  });
  // Waiting for them would end at the timeout, with exit code 1.
  const idle = [0, 1, 2, 3, 4, 5].map((offset) =>
    connect(first + offset, '127.0.0.1').on('error', () => undefined),
  );
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  const world = await (await fetch(`${one.ready.panel}/world.json`)).json();
  one.child.kill('SIGTERM');
  const [code] = await one.ended;
  expect([code, one.said.err, one.said.out.split('\n').length]).toEqual([0, '', 2]);

  const two = await startMain(first);
  const again = await (await fetch(`${two.ready.panel}/world.json`)).json();
  expect(again).toMatchObject({ offsetMs: 3_600_000, twitch: world.twitch, steam: world.steam });
  two.child.kill('SIGINT');
  expect((await two.ended)[0]).toBe(0);
});

test('A taken port ends the process with one clear line', async () => {
  const first = await findFreePorts(6);
  const holder = createServer().listen(first + 1, '127.0.0.1');
  await once(holder, 'listening');
  const { said, ended } = run({ SANDBOX_PORTS_FROM: String(first) });
  const [code] = await ended;
  expect([code, said.out, said.err]).toEqual([
    1,
    '',
    `sandbox: The port ${first + 1} for Twitch is taken. Free it, or set SANDBOX_PORTS_FROM to another range.\n`,
  ]);
  await new Promise((resolve) => holder.close(resolve));
});

test('Configuration faults are listed one by one', () => {
  expect(readConfig({ SANDBOX_PORTS_FROM: 'x', PRODUCT_URL: 'nowhere' })).toEqual({
    ok: false,
    faults: [
      'SANDBOX_PORTS_FROM: must be a port such as 3010',
      'PRODUCT_URL: must be a URL such as http://localhost:3000',
    ],
  });
});

test('Without variables the sandbox uses its defaults', () => {
  expect(readConfig({ TWITCH_CLIENT_ID: '' })).toEqual({
    ok: true,
    config: {
      directory: join(process.cwd(), 'data/sandbox'),
      portsFrom: 3010,
      productUrl: 'http://localhost:3000',
      clientId: undefined,
      clientSecret: undefined,
      logLevel: 'info',
    },
  });
});
