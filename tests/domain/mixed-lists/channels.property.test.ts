import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { bots } from '#db/schema/bot.ts';
import { channels } from '#db/schema/channel.ts';
import { leases } from '#db/schema/lease.ts';
import { recordUsedBots } from '#domain/bot/record-used-bots.ts';
import { releaseLeases } from '#domain/bot/release-leases.ts';
import { type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { recordNames } from '#domain/channel/record-names.ts';
import { receiveEvents } from '#domain/subscription/event-inbox.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { addBot, addStreamer, nextNumber, START_MS } from '#tests/support/fixtures.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';
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

test('Each bot is of the epoch in which it is used, and only a ready one has a heartbeat', () =>
  actsOnEachAlike({
    element: fc.record({ isReady: fc.boolean(), leaseEpoch: fc.constantFrom(0, 6, 7) }),
    async prepare(store, elements) {
      const used = [];
      for (const { isReady, leaseEpoch } of elements) {
        const botId = await addBot(store);
        const facts = { heartbeatAtMs: START_MS - 1, state: 'broken', leaseEpoch } as const;
        await store.transaction((tx) => tx.update(bots).set(facts).where(eq(bots.id, botId)));
        used.push({ botId, isReady });
      }
      return used;
    },
    async act(store, used) {
      await recordUsedBots(store, { epoch: 7, used }, { nowMs: START_MS, systemMs: START_MS });
      return null;
    },
    look: (store, used, place) => readBot(store, used[place]!.botId),
  }));

const readBot = (store: TestDatabase, botId: string) =>
  store.read
    .select({ leaseEpoch: bots.leaseEpoch, state: bots.state, heartbeatAtMs: bots.heartbeatAtMs })
    .from(bots)
    .where(eq(bots.id, botId));

const readLease = (store: TestDatabase, names: readonly LeaseName[], place: number) =>
  store.read
    .select({ holder: leases.holder, epoch: leases.epoch })
    .from(leases)
    .where(eq(leases.name, names[place]!));

test('Each lease is taken that nobody else holds', () =>
  actsOnEachAlike({
    element: fc.record({ held: fc.constantFrom(null, 'us', 'others', 'ended') }),
    async prepare(store, elements) {
      const names: LeaseName[] = [];
      for (const { held } of elements) {
        const name: LeaseName = `chat:${nextNumber()}`;
        names.push(name);
        if (held) await takeLeases(store, holderNamed(held), [name]);
        if (held === 'ended') await endLeases(store, [name]);
      }
      return names;
    },
    async act(store, names) {
      await takeLeases(store, holderNamed('us'), names);
      return null;
    },
    look: readLease,
  }));

test('Each lease is given up that is the process’s own', () =>
  actsOnEachAlike({
    element: fc.record({ held: fc.constantFrom('us', 'others') }),
    async prepare(store, elements) {
      const names: LeaseName[] = [];
      for (const { held } of elements) {
        const name: LeaseName = `chat:${nextNumber()}`;
        names.push(name);
        await takeLeases(store, holderNamed(held), [name]);
      }
      return names;
    },
    async act(store, names) {
      await releaseLeases(store, 'us', names);
      return null;
    },
    look: readLease,
  }));

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
