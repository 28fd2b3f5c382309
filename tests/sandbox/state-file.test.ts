import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readState, syncStateFile, writeWhole } from '#sandbox/state-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-state-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const noError = (error: unknown) => {
  throw error;
};

test('A file is written atomically, with its mode, and leaves no temporary file', async () => {
  const path = join(folder, 'new', 'state.json');
  await writeWhole(path, '{"a":1}', 0o600);
  await writeWhole(path, '{"a":2}', 0o600);
  expect(await readState(path)).toEqual({ a: 2 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'new'))).toEqual(['state.json']);
});

test('A missing file means no state', async () => {
  expect(await readState(join(folder, 'none.json'))).toBeUndefined();
});

test('Many changes become one write of the latest state', async () => {
  const path = join(folder, 'state.json');
  let snapshots = 0;
  let number = 0;
  const snapshot = () => {
    snapshots += 1;
    return { number };
  };
  const file = syncStateFile(path, snapshot, noError, 5);
  for (number = 1; number < 50; number += 1) file.schedule();
  await expect.poll(() => readState(path)).toEqual({ number: 50 });
  expect(snapshots).toBe(1);
});

test('A flush writes at once, and only if something changed', async () => {
  const path = join(folder, 'state.json');
  const file = syncStateFile(path, () => ({ saved: true }), noError, 60_000);
  await file.flush();
  expect(await readState(path)).toBeUndefined();
  file.schedule();
  await file.flush();
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ saved: true });
});

test('A change during a write is written afterwards', async () => {
  const path = join(folder, 'state.json');
  let number = 1;
  const file = syncStateFile(path, () => ({ number }), noError, 60_000);
  file.schedule();
  const writing = file.flush();
  number = 2;
  file.schedule();
  await Promise.all([writing, file.flush()]);
  expect(await readState(path)).toEqual({ number: 2 });
});

test('A failed write is reported and retried', async () => {
  const path = join(folder, 'state.json');
  await mkdir(path);
  const errors: unknown[] = [];
  const file = syncStateFile(
    path,
    () => ({ saved: true }),
    (error) => errors.push(error),
    60_000,
  );
  file.schedule();
  await file.flush();
  expect(errors).toHaveLength(1);
  await rm(path, { recursive: true });
  await file.flush();
  expect(await readState(path)).toEqual({ saved: true });
});
