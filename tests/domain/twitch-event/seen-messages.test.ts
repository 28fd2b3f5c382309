import { expect, test } from 'vitest';
import { day } from '#domain/kernel/time.ts';
import { markSeen, pruneSeen, wasSeen } from '#domain/twitch-event/seen-messages.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

const SYSTEM_MS = Date.UTC(2030, 0, 1);
const seen = () => Promise.all(['one', 'two'].map((id) => wasSeen(db.read, id)));

test('A message that Twitch repeats is known for a day', async () => {
  expect(await seen()).toEqual([false, false]);
  await markSeen(db, 'one', SYSTEM_MS);
  await markSeen(db, 'one', SYSTEM_MS + 1);
  expect(await seen()).toEqual([true, false]);
  await markSeen(db, 'two', SYSTEM_MS + 1);
  await pruneSeen(db, SYSTEM_MS + day);
  expect(await seen()).toEqual([true, true]);
  await pruneSeen(db, SYSTEM_MS + day + 1);
  expect(await seen()).toEqual([false, true]);
});
