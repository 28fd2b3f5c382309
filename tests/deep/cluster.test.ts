// Three web processes and three bots on two PostgreSQL servers, for two minutes of everything that can befall them; see
// tests/cluster. Five to eight minutes; needs the server programs of PostgreSQL, pgbouncer and HAProxy, which it starts itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { findTools } from '../cluster/tools.ts';

const found = findTools();
const MINUTES = '2';
const SEED = '33';

test('A cluster loses and doubles nothing while its processes are killed, paused, upgraded and failed over', async ({
  skip,
}) => {
  if ('missing' in found) return skip(`this machine lacks ${found.missing.join(', ')}`);
  const args = ['--import', 'tsx', 'tests/cluster/main.ts', '--minutes', MINUTES, '--seed', SEED];
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void run.kill());
  const said = { out: '', err: '' };
  run.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text;
  });
  run.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text;
  });
  const [code] = await once(run, 'close');
  expect(code, said.err.slice(-5000)).toBe(0);
  const { violations, ...figures } = JSON.parse(said.out.trim().split('\n').at(-1) ?? '');
  expect(violations).toBe(0);
  console.info(figures);
});
