import { expect, test } from 'vitest';
import { oldestOfKind } from '#domain/item/oldest-of-kind.ts';
import { day } from '#domain/time.ts';
import { asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { database, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('A piece with traits keeps them in custody, and is taken only when none without is left', async () => {
  const traits = 'Sticker: Demo One';
  await deposit(database, streamer, [asset('Demo case', { traits })], START_MS - 9 * day);
  await deposit(database, streamer, [asset(), asset()], START_MS - 8 * day);
  const special = (await itemsOf(database, streamer.userId)).find((item) => item.traits === traits);
  const take = async (quantity: number) => {
    const kind = { appId: 730, marketHashName: 'Demo case', quantity };
    return (await oldestOfKind(database.read, streamer.userId, kind, START_MS)).map(({ id }) => id);
  };
  expect(await take(2)).not.toContain(special?.id);
  expect((await take(3)).at(-1)).toBe(special?.id);
});
