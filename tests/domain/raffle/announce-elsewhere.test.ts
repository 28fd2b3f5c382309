import { expect, test } from 'vitest';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { minute } from '#domain/kernel/time.ts';
import { announceElsewhere } from '#domain/raffle/announce-elsewhere.ts';
import { listAwaitedKeywords } from '#domain/raffle/read-running.ts';
import { addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { addRaffle } from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

/** The machine's clock, which may stand elsewhere than the domain's. */
const SYSTEM_MS = START_MS + minute / 2;

test('Where a raffle is entered is said once for each, whichever processes hear lines from elsewhere', async () => {
  const raffleIds = [await addRaffle(db, streamer), await addRaffle(db, await addStreamer(db))];
  const listed = await listAwaitedKeywords(db.read);
  expect(listed.map(({ raffleId }) => raffleId).sort()).toEqual(raffleIds.sort());
  for (const after of [0, 1, minute])
    for (const raffle of listed)
      await announceElsewhere(db, raffle, { nowMs: START_MS + after, systemMs: SYSTEM_MS + after });
  const said = (await db.read.select().from(chatAnnouncements)).flatMap(({ raffle }) =>
    raffle?.kind === 'elsewhere' ? raffle.raffleId : [],
  );
  expect(said.sort()).toEqual(raffleIds);
});
