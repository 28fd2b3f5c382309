import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { bots } from '#db/schema/bot.ts';
import { channels } from '#db/schema/channel.ts';
import { leaseBots } from '#domain/bot/lease-bot.ts';
import { recordNames } from '#domain/channel/record-names.ts';
import { receiveEvents } from '#domain/subscription/event-inbox.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { addBot, addStreamer, nextNumber, START_MS } from '#tests/support/fixtures.ts';
import { actsOnEachAlike } from '#tests/support/mixed-list.ts';

test('Names are changed of those who were renamed and have a name', () =>
  actsOnEachAlike({
    element: fc.record({ isDeleted: fc.boolean(), login: fc.boolean(), displayName: fc.boolean() }),
    async prepare(store, elements) {
      const names = [];
      for (const { isDeleted, login, displayName } of elements) {
        const { twitchId } = await addStreamer(store);
        const before = { login: isDeleted ? '' : 'demo_old', displayName: 'Demo_Old' };
        await store.transaction((tx) => tx.update(channels).set(before).where(eq(channels.id, twitchId)));
        names.push({
          twitchId,
          login: login ? 'demo_new' : 'demo_old',
          displayName: displayName ? 'Demo_New' : 'Demo_Old',
        });
      }
      return names;
    },
    async act(store, names) {
      await recordNames(store, names);
      return null;
    },
    async look(store, names, place) {
      const { twitchId } = names[place]!;
      const [channel] = await store.read.select().from(channels).where(eq(channels.id, twitchId));
      const [account] = await store.read
        .select()
        .from(twitchAccounts)
        .where(eq(twitchAccounts.twitchId, twitchId));
      const isNew = [account?.login === 'demo_new', account?.displayName === 'Demo_New'];
      return [channel?.login, channel?.displayName, ...isNew];
    },
  }));

test('Each bot is leased that nobody else has, and only a ready one has a heartbeat', () =>
  actsOnEachAlike({
    element: fc.record({ isReady: fc.boolean(), held: fc.constantFrom(null, 'us', 'others', 'ended') }),
    async prepare(store, elements) {
      const wanted = [];
      for (const { isReady, held } of elements) {
        const botId = await addBot(store);
        const leaseUntilMs = held === 'ended' ? START_MS : START_MS + 1;
        const lease = held && { leaseHolder: held, leaseUntilMs };
        const facts = { heartbeatAtMs: START_MS - 1, ...lease };
        await store.transaction((tx) => tx.update(bots).set(facts).where(eq(bots.id, botId)));
        wanted.push({ botId, isReady });
      }
      return wanted;
    },
    async act(store, wanted) {
      await leaseBots(store, { holder: 'us', wanted }, { nowMs: START_MS, systemMs: START_MS });
      return null;
    },
    look: (store, wanted, place) => readBot(store, wanted[place]!.botId),
  }));

const readBot = (store: TestDatabase, botId: string) =>
  store.read
    .select({
      leaseHolder: bots.leaseHolder,
      leaseUntilMs: bots.leaseUntilMs,
      heartbeatAtMs: bots.heartbeatAtMs,
    })
    .from(bots)
    .where(eq(bots.id, botId));

test('Of events that arrive together, each is stored once, as it first came', () =>
  actsOnEachAlike({
    element: fc.record({ isKnown: fc.boolean(), type: fc.constantFrom('invoice.paid', 'charge.refunded') }),
    async prepare(store, elements) {
      const events = elements.map(({ type }) => {
        const id = `evt_${nextNumber()}`;
        return { id, type, customerId: 'cus_demo', objectId: null };
      });
      const known = events.filter((_, place) => elements[place]!.isKnown);
      if (known.length > 0) await receiveEvents(store, known, START_MS - 1);
      return events;
    },
    async act(store, events) {
      await receiveEvents(store, events, START_MS);
      return null;
    },
    look: (store, events, place) =>
      store.read
        .select({ type: stripeEvents.type, receivedAtMs: stripeEvents.receivedAtMs })
        .from(stripeEvents)
        .where(eq(stripeEvents.id, events[place]!.id)),
  }));
