import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { auditCustody } from '#domain/custody/audit-custody.ts';
import { countConcerns, listConcerns } from '#domain/custody/list-concerns.ts';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { settleDrift } from '#domain/custody/settle-drift.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { hour } from '#domain/kernel/time.ts';
import { asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { holdingOpen, waitedForLock } from '#tests/support/held-open.ts';
import { itemsOf, ledgerOf } from '#tests/support/looking.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
const LATER_MS = START_MS + hour;
const operatorEmail = 'operator@example.org';

const audit = (nowMs = LATER_MS) => auditCustody(db, { operatorEmail }, nowMs);
const mailsToOperator = () => db.read.select().from(mails).where(eq(mails.recipient, operatorEmail));
const stateOf = async (itemId: string) =>
  (await itemsOf(db, streamer.userId)).find(({ id }) => id === itemId)?.state;

/** Two items, one of whose ledgers leads elsewhere: as if a row had been set back. */
async function drift() {
  await deposit(db, streamer, [asset(), asset()]);
  const [wrong, right] = await itemsOf(db, streamer.userId);
  if (!wrong || !right) throw new Error('two items were deposited');
  await db.transaction(async (tx) => {
    await advanceItem(tx, wrong.id, { event: 'offered', cause: 'return' }, START_MS);
    await tx.update(items).set({ state: 'held' }).where(eq(items.id, wrong.id));
  });
  return { wrong, right };
}

test('Items whose ledger agrees are left alone', async () => {
  await deposit(db, streamer, [asset(), asset()]);
  expect(await audit()).toEqual({ items: 2, drifts: [], found: 0 });
  expect(await mailsToOperator()).toEqual([]);
});

test('A held item that differs from the ledger is missing at once, and the operator is mailed once', async () => {
  const { wrong, right } = await drift();
  expect(await audit()).toEqual({
    items: 2,
    drifts: [{ itemId: wrong.id, holder: `held:${botId}`, rebuilt: 'outgoing' }],
    found: 1,
  });
  expect([await stateOf(wrong.id), await stateOf(right.id)]).toEqual(['missing', 'held']);
  expect((await ledgerOf(db, wrong.id)).at(-1)).toMatchObject({ toHolder: 'missing', cause: 'audit' });
  expect((await audit(LATER_MS + hour)).found).toBe(0);
  expect(await mailsToOperator()).toMatchObject([
    { recipient: operatorEmail, template: 'custodyDrift', values: { items: '1' } },
  ]);
  expect(await countConcerns(db.read, LATER_MS)).toMatchObject({
    [botId]: { drifts: 1, missingItems: 1 },
  });
  expect((await listConcerns(db.read, LATER_MS)).get(botId)?.drifts).toMatchObject([
    { itemId: wrong.id, rebuilt: 'outgoing', sinceMs: LATER_MS },
  ]);
});

test('An item that differs while it is in an offer becomes missing when the offer ends', async () => {
  await deposit(db, streamer, [asset()]);
  const [item] = await itemsOf(db, streamer.userId);
  await db.transaction(async (tx) => {
    await tx.update(items).set({ state: 'outgoing' }).where(eq(items.id, item!.id));
  });
  expect(await audit()).toMatchObject({ found: 1 });
  expect(await stateOf(item!.id)).toBe('outgoing');
  const ended = { event: 'offerEnded', cause: 'return' } as const;
  await db.transaction((tx) => advanceItem(tx, item!.id, ended, LATER_MS));
  expect(await stateOf(item!.id)).toBe('missing');
});

test('No difference is stored without its mail, even if the audit breaks off', async () => {
  await drift();
  let transactions = 0;
  const breaking: typeof db = Object.create(db, {
    transaction: {
      value: (...call: Parameters<typeof db.transaction>) =>
        transactions++ === 0 ? db.transaction(...call) : Promise.reject(new Error('demo trouble')),
    },
  });
  await auditCustody(breaking, { operatorEmail }, LATER_MS).catch(() => undefined);
  expect(await countConcerns(db.read, LATER_MS)).toMatchObject({ [botId]: { drifts: 1 } });
  expect(await mailsToOperator()).toHaveLength(1);
});

test('An item that differs stays missing although its asset is there, until the operator settles it', async () => {
  const { wrong, right } = await drift();
  await audit();
  const nowMs = LATER_MS + hour;
  const reading = {
    botId,
    appId: 730,
    found: [wrong, right],
    isWhole: true,
    absentBefore: new Set<string>(),
  };
  const reconcile = (readAtMs: number) => reconcileItems(db, { ...reading, readAtMs }, readAtMs);
  expect(await reconcile(nowMs)).toMatchObject({ found: 0 });
  expect(await stateOf(wrong.id)).toBe('missing');

  const rehearsed = await settleDrift(db, { itemId: wrong.id, isRehearsal: true }, nowMs);
  expect(await countConcerns(db.read, nowMs)).toMatchObject({ [botId]: { drifts: 1 } });
  expect(await settleDrift(db, { itemId: wrong.id }, nowMs)).toEqual(rehearsed);
  expect(rehearsed).toMatchObject({
    changes: [{ from: 'outgoing in the ledger', to: `held:${botId}` }],
  });
  expect((await ledgerOf(db, wrong.id)).at(-1)).toMatchObject({ cause: 'operator' });
  expect((await audit(nowMs)).drifts).toEqual([]);
  expect(await reconcile(nowMs + 1)).toMatchObject({ found: 1 });
  expect(await stateOf(wrong.id)).toBe('held');
  expect(await settleDrift(db, { itemId: wrong.id }, nowMs)).toEqual({ ok: false, code: 'noDrift' });
});

// Two transactions at once: SQLite has one writer, and PGlite one connection.
test.runIf(isPostgres && serverUrl !== undefined)(
  'A difference that is being settled while an audit looks at it is not found again',
  async () => {
    const { wrong } = await drift();
    await audit();
    const operator = holdingOpen(db);
    const settling = settleDrift(operator.db, { itemId: wrong.id }, LATER_MS + hour);
    await operator.isReached;
    const auditing = audit(LATER_MS + hour);
    await waitedForLock(db.read);
    operator.commit();
    expect(await settling).toMatchObject({ ok: true });
    expect(await auditing).toMatchObject({ drifts: [], found: 0 });
    expect(await countConcerns(db.read, LATER_MS + hour)).toMatchObject({ [botId]: { drifts: 0 } });
  },
);
