import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { runRound } from '#billing/run-round.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import { users } from '#db/schema/user.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { renameUser } from '#domain/account/rename-user.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import {
  atStripe,
  billing,
  customerOf,
  db,
  setBillingStage,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  viewerPro,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const customer = async () => stripe.stripe.customers.retrieve(await customerOf(streamer));

test('A new name and address reach Stripe with the daily round', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  await renameUser(db, { userId: streamer.userId, name: 'Renamed' }, START_MS);
  await db.transaction((tx) =>
    tx.update(users).set({ email: 'moved@example.org' }).where(eq(users.id, streamer.userId)),
  );
  expect(await customer()).not.toMatchObject({ name: 'Renamed' });
  stripe.advanceDays(1.2);
  await runRound(billing, new AbortController().signal);
  expect(await customer()).toMatchObject({ name: 'Renamed', email: 'moved@example.org' });
});

test('A customer whom Stripe keeps to another currency is told so', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const [bought] = await atStripe(streamer);
  await stripe.stripe.subscriptions.cancel(bought?.id ?? '');
  billing.settings.currency = 'eur';
  const user = (await getAccount(db, streamer)) ?? expect.fail();
  expect(await startCheckout(billing, { user, plan: viewerPro })).toEqual({
    ok: false,
    code: 'otherCurrency',
  });
});
