import { expect, test } from 'vitest';
import { hour } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { leaveUnknownAsset } from '#tests/support/unknown-asset.ts';
import { runCustody } from '../../cli/custody.ts';

setScene();

async function run(...args: string[]) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const ok = await runCustody(args, { db, nowMs: START_MS + 2 * hour, print });
  return { ok, said: lines.join('\n') };
}

test('The operator finds an unknown asset, rehearses its adoption and adopts it', async () => {
  expect((await run()).said).toBe(`${botId}: nothing to do`);
  const { assetId } = await leaveUnknownAsset(db, { botId, nowMs: START_MS });
  const name = `${botId}/730/${assetId}`;
  expect((await run()).said).toContain(`unknown asset ${name}: Demo case, for 2 h`);
  expect(JSON.parse((await run('--json')).said).bots[botId].unknownAssets).toMatchObject([{ assetId }]);

  const rehearsed = await run('adopt', name, '--owner', streamer.userId, '--dry-run');
  expect(rehearsed).toMatchObject({ ok: true, said: expect.stringContaining('This would change:') });
  expect(await itemsOf(db, streamer.userId)).toEqual([]);
  expect(await run('adopt', name, '--owner', streamer.userId)).toMatchObject({ ok: true });
  expect(await itemsOf(db, streamer.userId)).toMatchObject([{ assetId, state: 'held' }]);
  expect((await run()).said).toBe(`${botId}: nothing to do`);
  expect(await run('release', name)).toMatchObject({
    ok: false,
    said: expect.stringMatching(/^Refused: no bot/),
  });
});

test.each([
  ['adopt'],
  ['adopt', 'bot/730/1'],
  ['adopt', 'bot/730/1', '--item', 'a', '--owner', 'b'],
  ['resolve', 'a'],
  ['resolve', 'a', '--absent', '--undelivered'],
  ['resolve', 'a', '--found'],
  ['mend', 'a'],
  ['release', 'a', 'b'],
])('What cannot be understood is answered with the usage: %j', async (...args) => {
  expect(await run(...args)).toEqual({ ok: false, said: expect.stringMatching(/^Usage: /) });
});

test('A refusal says why', async () => {
  expect(await run('resolve', 'nothing', '--absent')).toEqual({
    ok: false,
    said: 'Refused: there is no such transfer.',
  });
  expect(await run('release', 'nothing')).toEqual({ ok: false, said: 'Refused: there is no such item.' });
});
