import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { bots } from '#db/schema/bot.ts';
import { mails } from '#db/schema/outbox.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { findNextOffer } from '#domain/reward/find-next-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import {
  acceptOffer,
  addPerson,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const lettersOf = async (template: typeof mails.$inferSelect.template) =>
  (await db.read.select().from(mails).where(eq(mails.template, template))).map(
    ({ recipient, locale, values, runAtMs }) => ({ recipient, locale, values, runAtMs }),
  );
const userOf = async ({ userId }: Person) =>
  (await db.read.select().from(users).where(eq(users.id, userId)))[0]!;
const mute = ({ userId }: Person) =>
  db.transaction(async (tx) => {
    await tx.update(users).set({ notifyByMail: false }).where(eq(users.id, userId));
  });

/** A promise on the rule “Long evenings”, the content of its letters, and their receivers. */
async function promised(claimTimeoutHours = 72) {
  const viewer = await addPerson(db);
  await db.transaction(async (tx) => {
    await tx.update(users).set({ locale: 'ru' }).where(eq(users.id, viewer.userId));
  });
  const facts = { name: 'Long evenings', claimTimeoutHours };
  const { rewards } = await promiseTo(db, streamer, [viewer], facts);
  const { name, email } = await userOf(viewer);
  const rewardId = rewards[0]!.id;
  const reported = {
    name,
    item: 'Demo case',
    rule: 'Long evenings',
    channel: `Demo channel ${streamer.twitchId}`,
  };
  const letter = { recipient: email, locale: 'ru', runAtMs: START_MS };
  return { viewer, rewardId, reported, letter };
}
type Promised = Awaited<ReturnType<typeof promised>>;

async function claim({ viewer, rewardId }: Promised, nowMs = START_MS) {
  const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
  if (!claimed.ok) throw new Error(claimed.code);
  const [sent] = await sendQueued(db, nowMs);
  return sent!.id;
}

test('A promise is told at once, and again six hours before its end if that leaves six hours between', async () => {
  const { rewardId, reported, letter } = await promised(12);
  const values = { ...reported, rewardId, claimUntilMs: String(START_MS + 12 * hour) };
  expect(await lettersOf('rewardPromised')).toEqual([{ ...letter, values }]);
  const reminder = { ...letter, values, runAtMs: START_MS + 6 * hour };
  expect(await lettersOf('claimReminder')).toEqual([reminder]);
  await promised(11);
  expect(await lettersOf('claimReminder')).toHaveLength(1);
  expect(await lettersOf('rewardPromised')).toHaveLength(2);
});

test('A delivery is told with the code of its offer, unless the viewer wants no mails', async () => {
  const one = await promised();
  const transferId = await claim(one);
  const { securityCode } = await transferOf(db, transferId);
  await acceptOffer(db, transferId, await assetsIn(db, transferId), START_MS + hour);
  const reported = {
    ...one.reported,
    rewardId: one.rewardId,
    code: securityCode,
    deliveredMs: String(START_MS + hour),
  };
  const letter = { ...one.letter, values: reported, runAtMs: START_MS + hour };
  expect(await lettersOf('rewardDelivered')).toEqual([letter]);
  const muted = await promised();
  await mute(muted.viewer);
  const silent = await claim(muted);
  await acceptOffer(db, silent, await assetsIn(db, silent), START_MS + hour);
  expect(await lettersOf('rewardDelivered')).toHaveLength(1);
});

test('A claim that failed is told with its reason, and until when it can be repeated', async () => {
  const one = await promised();
  const values = { ...one.reported, rewardId: one.rewardId };
  await reportTransfer(db, await claim(one), { event: 'expired' }, START_MS + hour);
  const again = { ...values, why: 'notAccepted', claimUntilMs: String(START_MS + 72 * hour) };
  const letter = { ...one.letter, values: again, runAtMs: START_MS + hour };
  expect(await lettersOf('claimFailed')).toEqual([letter]);
  const late = await claim(one, START_MS + 2 * hour);
  await reportTransfer(db, late, { event: 'declined' }, START_MS + 3 * hour);
  expect(await lettersOf('claimFailed')).toEqual([letter]);
  const last = await claim(one, START_MS + 4 * hour);
  await reportTransfer(db, last, { event: 'declined' }, START_MS + 72 * hour);
  const ended = { ...letter, values: { ...values, why: 'declined' }, runAtMs: START_MS + 72 * hour };
  expect(await lettersOf('claimFailed')).toEqual([letter, ended]);
});

test('A promise whose item is gone with its deposit is told to its viewer, unless they want no mails', async () => {
  for (const isMuted of [false, true]) {
    const one = await promised();
    if (isMuted) await mute(one.viewer);
    const [item] = (await itemsOf(db, streamer.userId)).filter(({ state }) => state === 'held');
    const [deposited] = await db.read.select().from(transferItems).where(eq(transferItems.itemId, item!.id));
    await reportTransfer(db, deposited!.transferId, { event: 'reversed' }, START_MS + hour);
    const letter = { ...one.letter, values: one.reported, runAtMs: START_MS + hour };
    if (!isMuted) expect(await lettersOf('depositReversed')).toEqual([letter]);
  }
  expect(await lettersOf('depositReversed')).toHaveLength(1);
});

test('A deposit is told to its streamer once all of it can be used, unless they want no mails', async () => {
  const transferId = await deposit(db, streamer, [asset(), asset()]);
  const { name, email, locale } = await userOf(streamer);
  const letter = { recipient: email, locale, values: { name, transferId }, runAtMs: START_MS + 7 * day };
  expect(await lettersOf('itemsUsable')).toEqual([letter]);
  await mute(streamer);
  await deposit(db, streamer, [asset()]);
  expect(await lettersOf('itemsUsable')).toHaveLength(1);
});

test('A viewer sees who will send the next offer, and the last one’s transfer', async () => {
  const one = await promised();
  const { viewer, rewardId } = one;
  const find = () => findNextOffer(db, { rewardId, userId: viewer.userId });
  const [row] = await db.read.select().from(bots).where(eq(bots.id, botId));
  const bot = {
    name: botId,
    steamId: row!.steamId,
    pictureUrl: '',
    level: null,
    sinceMs: null,
    record: null,
  };
  expect(await find()).toEqual({ lastTransferId: null, botId, bot });
  const transferId = await claim(one);
  const profile = { profileName: 'Demo bot', pictureUrl: 'picture', steamLevel: 12, steamSinceMs: 1 };
  const counted = { delivered: 3, reversed: 1, profileReadAtMs: START_MS };
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ ...profile, ...counted });
  });
  expect(await find()).toEqual({
    lastTransferId: transferId,
    botId,
    bot: {
      name: 'Demo bot',
      steamId: row!.steamId,
      pictureUrl: 'picture',
      level: 12,
      sinceMs: 1,
      record: { delivered: 3, reversed: 1 },
    },
  });
  expect(await findNextOffer(db, { rewardId, userId: streamer.userId })).toBeNull();
});
