import { expect, test } from 'vitest';
import { isShown } from '#sandbox/steam/offer-page.ts';
import { showTradesAs, tradeShapes } from '#sandbox/steam/trade-shapes.ts';
import { answerOf } from '#tests/support/steam-page.ts';
import { createWorld, redline } from './stage.ts';

/** An offer of two items for one, to the viewer. */
function offered() {
  const { world, streamer, viewer } = createWorld();
  const named = (steamId: string) => {
    const { appid, contextid, assetid } = world.give(steamId, redline);
    return { appid, contextid, assetid };
  };
  const outcome = world.send(streamer.steamId, {
    to: viewer.steamId,
    token: viewer.tradeToken,
    give: [named(streamer.steamId), named(streamer.steamId)],
    receive: [named(viewer.steamId)],
    message: 'for <you>',
  });
  if (!outcome.ok) throw new Error(outcome.message);
  return { world, streamer, viewer, offer: outcome.offer };
}

const idsOf = (items: { assetid: string }[]) => items.map(({ assetid }) => assetid);

test.each(['assigned', 'quoted', 'calls'] as const)(
  'The page of an offer says what each side gives, seen from either (%s)',
  (status) => {
    const { world, streamer, viewer, offer } = offered();
    showTradesAs(world, { status });
    for (const [person, mine, theirs] of [
      [viewer, offer.receive, offer.give],
      [streamer, offer.give, offer.receive],
    ] as const) {
      const { body } = answerOf(world, person, `/tradeoffer/${offer.id}/`);
      const plain = body.replaceAll('\\"', '"');
      const [, me = '', them = ''] = /"me":(\{.*\}),"them":(\{.*\})/.exec(plain) ?? [];
      const found = (side: string) => [...side.matchAll(/"assetid":"(\d+)"/g)].map(([, id]) => id);
      expect([found(me), found(them)]).toEqual([idsOf(mine), idsOf(theirs)]);
      expect(body.includes('for &lt;you&gt;')).toBe(true);
      // Only its receiver can answer it.
      expect(body.includes('StartCounterOffer()"')).toBe(person === viewer);
    }
  },
);

test('Numbers are in quotes or bare, and a page is English or Russian', () => {
  const { world, viewer, offer } = offered();
  const bodyOf = (language: string) => answerOf(world, viewer, `/tradeoffer/${offer.id}/?l=${language}`).body;
  expect(bodyOf('english')).toContain('"appid":"730"');
  expect(bodyOf('english')).toContain('Trade offer from');
  showTradesAs(world, { numbers: 'bare' });
  expect(bodyOf('russian')).toContain('"appid":730');
  expect(bodyOf('russian')).toContain('Предложение обмена от');
});

test('After it was accepted an offer is over, and the receipt names what arrived', () => {
  const { world, viewer, offer } = offered();
  const accepted = world.accept(offer.id, viewer.steamId);
  if (!accepted.ok || accepted.needsConfirmation) throw new Error('not accepted');
  expect(isShown(accepted.offer)).toBe(false);
  expect(answerOf(world, viewer, `/tradeoffer/${offer.id}/`).body).toContain('id="error_msg"');
  const { body } = answerOf(world, viewer, `/trade/${accepted.trade.id}/receipt`);
  const arrived = world.inventoryOf(viewer.steamId).map(({ assetid }) => assetid);
  expect([...body.matchAll(/oItem = \{"id":"(\d+)"/g)].map(([, id]) => id).sort()).toEqual(arrived.sort());
});

test('The list has a row for each received offer, with its items by id or by class, and a banner once it is over', () => {
  const { world, viewer, offer } = offered();
  const list = () => answerOf(world, viewer, `/profiles/${viewer.steamId}/tradeoffers/`).body;
  expect(list()).toContain(`data-economy-item="730/2/${offer.receive[0]?.assetid}/${viewer.steamId}"`);
  expect(list()).not.toContain('tradeoffer_items_banner');
  showTradesAs(world, { rows: 'classes' });
  expect(list()).toContain('data-economy-item="classinfo/730/111/188530139"');
  world.decline(offer.id, viewer.steamId);
  expect(list()).toMatch(/tradeoffer_items_ctn inactive[\s\S]*Trade Declined/);
});

test('A list is shown to its owner only', () => {
  const { world, streamer, viewer } = offered();
  expect(answerOf(world, streamer, `/profiles/${viewer.steamId}/tradeoffers/`).body).toContain('error_msg');
  expect(answerOf(world, null, '/my/tradeoffers/').status).toBe(302);
});

test('Each part of the pages has a shape that is the default, and another', () => {
  for (const shapes of Object.values(tradeShapes)) expect(Object.keys(shapes).length).toBeGreaterThan(1);
});
