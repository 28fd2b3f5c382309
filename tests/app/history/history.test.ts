import { beforeAll, expect, test } from 'vitest';
import { csvCell } from '#app/http/stream-rows.server.ts';
import { loader as exportLoader } from '#app/routes/history/export.ts';
import { loader as historyLoader } from '#app/routes/history/history.tsx';
import { database } from '#app/services/database.server.ts';
import { dateRangeIn } from '#app/services/forms/date-range.server.ts';
import { day } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { addBot, addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let visitor: Visitor;
beforeAll(async () => {
  const db = await database();
  await addBot(db);
  const [streamer, viewer] = [await addStreamer(db), await addPerson(db)];
  visitor = await visitorOf(viewer.userId);
  const nowMs = Date.UTC(2026, 5, 10, 12);
  await promiseTo(db, streamer, [viewer], { name: '=HYPERLINK("x")', nowMs });
  await expirePromises(db, nowMs + 10 * day, Date.now());
});

const read = async (query = '') => (await visitor.call(historyLoader, `/rewardHistory${query}`)).body;
const download = (query: string) => visitor.call(exportLoader, `/rewardHistory/export${query}`);

test.each([
  ['', 1],
  ['?status=timedOut', 1],
  ['?status=final', 0],
  ['?from=2026-06-10&to=2026-06-10', 1],
  ['?from=2026-06-11', 0],
  ['?to=2026-06-09', 0],
  ['?from=1899-01-01&status=nothing', 1],
])('The history filtered by "%s" has %i rows', async (query, amount) => {
  expect((await read(query)).page.rows).toHaveLength(amount);
});

test('The export holds what the filters show, and no formula', async () => {
  const csv = await download('?format=csv&status=timedOut');
  expect(csv.headers.get('Content-Disposition')).toBe('attachment; filename="reward-history.csv"');
  const [head, row, end] = csv.text.replace(/^\uFEFF/, '').split('\r\n');
  expect(head).toContain('"item","channel","rule","status"');
  expect(row).toContain(`"'=HYPERLINK(""x"")","timedOut"`);
  expect(end).toBe('');
  const json = await download('?format=json');
  expect(JSON.parse(json.text)).toMatchObject([
    { rule: '=HYPERLINK("x")', status: 'timedOut', delivered_at: null },
  ]);
  expect(JSON.parse((await download('?format=json&status=final')).text)).toEqual([]);
  expect((await download('?format=xls')).status).toBe(404);
});

test.each(['=1', '+1', '-1', '@a', '\t=1', '\r=1', ' =1'])(
  'The cell %j begins with an apostrophe',
  (text) => {
    expect(csvCell(text)).toMatch(/^"'/);
  },
);

const rangeOf = (query: string, timeZone: string) => dateRangeIn(new URLSearchParams(query), timeZone);

test('A day begins and ends with the clock of the zone, also when that changes', () => {
  expect(rangeOf('from=2026-10-25&to=2026-10-25', 'Europe/Berlin')).toEqual({
    fromMs: Date.UTC(2026, 9, 24, 22),
    untilMs: Date.UTC(2026, 9, 25, 23),
    shown: { from: '2026-10-25T00:00', to: '2026-10-25T23:55' },
  });
});

test('A minute counts in steps of five, the last step included', () => {
  expect(rangeOf('from=2026-06-10T12:07&to=2026-06-10T12:10', 'UTC')).toEqual({
    fromMs: Date.UTC(2026, 5, 10, 12, 5),
    untilMs: Date.UTC(2026, 5, 10, 12, 15),
    shown: { from: '2026-06-10T12:05', to: '2026-06-10T12:10' },
  });
});

test.each(['2026-13-01', '1899-12-31', '2101-01-01', '2026-06-10T25:00', 'today', ''])(
  'The date %j is left out',
  (text) => {
    expect(rangeOf(`from=${text}&to=${text}`, 'UTC').shown).toEqual({ from: '', to: '' });
  },
);
