import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bundleOf } from '#tests/support/processes.ts';

async function run(kind: string) {
  const child = spawn(process.execPath, [bundleOf('unhandled'), kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, said: said.trim().split('\n') };
}

test.each(['uncaughtException', 'unhandledRejection'])(
  'After an %s a process says why and ends in order',
  async (event) => {
    expect(await run(event)).toEqual({
      code: 1,
      said: [`${event} Error: planted`, 'ending in order', 'ended'],
    });
  },
);

test('Another such error while it ends is logged, and it still ends in order', async () => {
  expect(await run('twice')).toEqual({
    code: 1,
    said: ['uncaughtException Error: planted', 'ending in order', 'uncaughtException Error: second', 'ended'],
  });
});

test('A process that cannot end in order ends anyway', async () => {
  expect(await run('stuck')).toEqual({
    code: 1,
    said: ['uncaughtException Error: planted', 'ending in order', 'shutdown Error: cannot end'],
  });
});
