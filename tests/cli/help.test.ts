import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundleOf } from '#tests/support/processes.ts';

test('`--help` says what a command does, and does nothing', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'keepsake-help-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const help = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [bundleOf('keepsake'), ...args, '--help'],
      { env: { PATH: process.env.PATH ?? '', KEEPSAKE_DATA_DIR: dataFolder }, encoding: 'utf8' },
    );
    return { status, stdout: stdout.split('\n')[0], stderr };
  };
  expect(help('migrate')).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^keepsake migrate: brings the database up to date/),
    stderr: '',
  });
  expect(help('restore')).toEqual({ status: 0, stdout: expect.stringContaining('FOLDER'), stderr: '' });
  expect(help()).toEqual({ status: 0, stdout: expect.stringContaining('<command>'), stderr: '' });
  expect(readdirSync(dataFolder)).toEqual([]);
});
