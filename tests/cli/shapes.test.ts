import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '#db/database.ts';
import { recordOddAnswers } from '#domain/odd-answer/record-odd-answers.ts';
import { readShapes } from '#sandbox/shapes/replay.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { examineRows } from '../../cli/doctor/examine-store.ts';
import { runShapes } from '../../cli/shapes.ts';

const NOW_MS = Date.UTC(2026, 10, 29, 12);
const day = 86_400_000;

const odd = {
  platform: 'steam',
  place: 'IEconService/GetTradeStatus/v1',
  path: 'response.trades[].status',
  difference: 'value',
  found: '13',
  reaction: 'pending',
  example: '{"status":"number"}',
  count: 4,
} as const;

async function store() {
  const { file, folder } = await makeSqliteFile();
  const db = await openSqlite(file);
  onTestFinished(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
  return db;
}

test('The report has what was recorded, and the sandbox can read it', async () => {
  const db = await store();
  await recordOddAnswers(db, [odd, { ...odd, difference: 'missing', found: '', count: 1 }], NOW_MS);
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const out = join(folder, 'shapes.json');
  const lines: string[] = [];
  const deps = { db, nowMs: NOW_MS, print: (line: string) => lines.push(line) };
  expect(await runShapes(['--out', out], deps)).toBe(true);
  expect(lines).toEqual([`2 differences written to ${out}.`]);
  expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
    format: 'keepsake-shapes',
    writtenOn: '2026-11-29',
    shapes: [{ ...odd, example: { status: 'number' }, lastSeenOn: '2026-11-29' }, { difference: 'missing' }],
  });
  expect(readShapes(out)).toMatchObject([{ found: '13' }, { difference: 'missing' }]);
  expect(await runShapes(['--out', out], deps)).toBe(false);
  expect(await runShapes(['--unknown'], deps)).toBe(false);
});

test('Doctor says in plain words how Steam answers differently, for a week', async () => {
  const db = await store();
  const found = async (nowMs: number) =>
    (await examineRows(db.read, { nowMs, systemMs: nowMs }, [])).filter(
      ({ name }) => name === 'answersDiffer',
    );
  expect(await found(NOW_MS)).toEqual([]);
  await recordOddAnswers(db, [odd], NOW_MS);
  expect(await found(NOW_MS + day)).toMatchObject([
    {
      what: 'Steam answers in a way that this version does not know: response.trades[].status of IEconService/GetTradeStatus/v1 has a new value, 13 (4 times; counted as not ended).',
    },
  ]);
  expect(await found(NOW_MS + 8 * day)).toEqual([]);
});
