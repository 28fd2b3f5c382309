import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { Asset } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { auditCustody } from '#domain/custody/audit-custody.ts';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { setAsideAsset } from '#domain/custody/set-aside-asset.ts';
import { settleDrift } from '#domain/custody/settle-drift.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { addBot, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

const FIRST_MS = START_MS + day;
const operatorEmail = 'operator@example.org';

setScene();
let held: Awaited<ReturnType<typeof itemsOf>>;
beforeEach(async () => {
  await deposit(db, streamer, [asset(), asset(), asset()]);
  held = await itemsOf(db, streamer.userId);
});

/** Reconciles the bot's inventory at that time, read for the second time. */
const show = (
  found: typeof held,
  nowMs: number,
  recipient: string | null = operatorEmail,
  store: typeof db = db,
) => {
  const absentBefore = new Set(held.map(({ id }) => id));
  const reading = { botId, appId: 730, found, readAtMs: nowMs, absentBefore, operatorEmail: recipient };
  return reconcileItems(store, reading, nowMs);
};
const showUnknown = (found: Asset[], nowMs: number, of = botId) =>
  recordUnknownAssets(db, { botId: of, appId: 730, found, operatorEmail }, nowMs);
const letters = async () => {
  const written = await db.read
    .select()
    .from(mails)
    .where(eq(mails.template, 'inventoryDiffers'))
    .orderBy(mails.createdAtMs, mails.id);
  return written.map(({ recipient, values }) => ({ recipient, ...values }));
};
const letter = (concern: string, amount: string, bot = botId) => ({
  recipient: operatorEmail,
  bot,
  concern,
  amount,
});

test('The operator gets one mail about items that are missing', async () => {
  await show(held, FIRST_MS);
  expect(await letters()).toEqual([]);
  await show(held.slice(2), FIRST_MS);
  expect(await letters()).toEqual([letter('missing', '2')]);
  await show(held.slice(2), FIRST_MS + 3 * day);
  expect(await letters()).toHaveLength(1);
});

test('No finding is stored without its mail, even if the process ends right after it', async () => {
  let transactions = 0;
  const breaking: typeof db = Object.create(db, {
    transaction: {
      value: (...call: Parameters<typeof db.transaction>) =>
        transactions++ === 0 ? db.transaction(...call) : Promise.reject(new Error('demo trouble')),
    },
  });
  await show(held.slice(2), FIRST_MS, operatorEmail, breaking);
  expect(await letters()).toEqual([letter('missing', '2')]);
});

test('What else is missing within a day is mailed when the day is over', async () => {
  await show(held.slice(1), FIRST_MS);
  await show(held.slice(2), FIRST_MS + hour);
  await show(held.slice(2), FIRST_MS + day);
  expect(await letters()).toHaveLength(1);
  await show(held.slice(2), FIRST_MS + day + 1);
  expect(await letters()).toEqual([letter('missing', '1'), letter('missing', '2')]);
});

test('Nobody is mailed about items that were found again meanwhile', async () => {
  await show(held.slice(1), FIRST_MS);
  await show(held.slice(2), FIRST_MS + hour);
  await show(held, FIRST_MS + 2 * hour);
  await show(held, FIRST_MS + 2 * day);
  expect(await letters()).toHaveLength(1);
});

test('Without an address nothing is mailed; once there is one, its owner hears of what is missing', async () => {
  await show(held.slice(1), FIRST_MS, null);
  expect(await letters()).toEqual([]);
  await show(held.slice(1), FIRST_MS + hour);
  expect(await letters()).toEqual([letter('missing', '1')]);
});

test('An item that an audit made missing has a mail of its own, until the operator settled it', async () => {
  const [wrong, ...others] = held;
  await db.transaction(async (tx) => {
    await advanceItem(tx, wrong!.id, { event: 'offered', cause: 'return' }, START_MS);
    await tx.update(items).set({ state: 'held' }).where(eq(items.id, wrong!.id));
  });
  await auditCustody(db, { operatorEmail }, FIRST_MS);
  await show(others, FIRST_MS + hour);
  expect(await letters()).toEqual([]);
  await settleDrift(db, { itemId: wrong!.id }, FIRST_MS + 2 * hour);
  await show(others, FIRST_MS + 3 * hour);
  expect(await letters()).toEqual([letter('missing', '1')]);
});

test('The operator gets one mail about assets that have belonged to nobody for an hour, for each bot', async () => {
  const [first, second, third] = [asset(), asset(), asset()];
  const other = await addBot(db);
  await showUnknown([first], FIRST_MS);
  await showUnknown([first, second], FIRST_MS + hour - 1);
  expect(await letters()).toEqual([]);
  await showUnknown([first, second], FIRST_MS + hour);
  await showUnknown([first, second], FIRST_MS + 2 * hour);
  expect(await letters()).toEqual([letter('unknown', '1')]);
  await showUnknown([third], FIRST_MS, other);
  await showUnknown([third], FIRST_MS + hour, other);
  expect(await letters()).toEqual([letter('unknown', '1'), letter('unknown', '1', other)]);
  await showUnknown([first, second], FIRST_MS + hour + day + minute);
  expect(await letters()).toContainEqual(letter('unknown', '2'));
  await showUnknown([first, second], FIRST_MS + 9 * day);
  expect(await letters()).toHaveLength(3);
});

test('Nobody is mailed about what the operator declared as their own', async () => {
  const own = asset();
  await showUnknown([own], FIRST_MS);
  await setAsideAsset(db, { botId, appId: 730, assetId: own.assetId }, FIRST_MS + minute);
  await showUnknown([own], FIRST_MS + 2 * hour);
  expect(await letters()).toEqual([]);
});

test('Missing items and unknown assets are mailed apart', async () => {
  const stranger = asset();
  await showUnknown([stranger], FIRST_MS);
  await show(held.slice(1), FIRST_MS + hour);
  await showUnknown([stranger], FIRST_MS + hour);
  expect(await letters()).toEqual([letter('missing', '1'), letter('unknown', '1')]);
});
