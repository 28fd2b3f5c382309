import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { loader } from '#app/routes/transfers/transfers.tsx';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour } from '#domain/kernel/time.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { addBot, addPerson, addStreamer, sendQueued } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { visitorOf } from '../support/signed-in.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
const db = await database();

test('An offer that nobody answered is told apart from one that its viewer cancelled', async () => {
  await addBot(db);
  const streamer = await addStreamer(db);
  const viewers = [await addPerson(db), await addPerson(db)];
  const nowMs = (await domainNow()) - 2 * hour;
  const { rewards } = await promiseTo(db, streamer, viewers, { nowMs });
  const claimAs = async ({ id: rewardId, userId }: (typeof rewards)[number]) => {
    await claimReward(db, { rewardId, userId: userId ?? '' }, nowMs);
    const [transfer] = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
    return { transferId: transfer?.id ?? '', userId: userId ?? '' };
  };
  const [first, second] = rewards;
  if (!first || !second) throw new Error('nothing was promised');
  const unanswered = await claimAs(first);
  await sendQueued(db, nowMs);
  await reportTransfer(db, unanswered.transferId, { event: 'cancelled' }, nowMs + hour);
  const withdrawn = await claimAs(second);
  await cancelTransfer(db, withdrawn, nowMs);
  const { body } = await (await visitorOf(streamer.userId)).call(loader, '/transfers');
  const { page } = body as Awaited<ReturnType<typeof loader>>['data'];
  const states = [unanswered, withdrawn].map(
    ({ transferId }) => page?.rows.find(({ id }) => id === transferId)?.state,
  );
  expect(states).toEqual(['expired', 'cancelled']);
});
