import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { and, eq, isNotNull, ne } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { draws } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { endedRewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import type { Mail } from '#sandbox/mail/mailbox.ts';
import type { WorldState as SteamTruth } from '#sandbox/steam/state.ts';
import type { WorldState as TwitchTruth } from '#sandbox/twitch/world-state.ts';
import type { Stage } from './stage.ts';

/** A broken thing. */
interface Planted {
  /** A part of the finding that has to name it. */
  names: string;
  undo(): Promise<unknown>;
}

/** Breaks one thing; null if the run left nothing of the kind. */
type Plant = (stage: Stage) => Promise<Planted | null>;

/** Changes a platform's truth; `change` returns what the finding has to name. */
function inFile<Truth>({ sandboxFolder }: Stage, name: string, change: (truth: Truth) => string | null) {
  const file = join(sandboxFolder, name);
  const whole = readFileSync(file, 'utf8');
  const truth = JSON.parse(whole) as Truth;
  const names = change(truth);
  if (names === null) return null;
  writeFileSync(file, JSON.stringify(truth));
  return { names, undo: async () => writeFileSync(file, whole) };
}

const onSteam = (stage: Stage, change: (steam: SteamTruth) => string | null) =>
  inFile<SteamTruth>(stage, 'steam.json', change);

/** Changes our records by one statement, and undoes it by another. */
async function inStore(
  { db }: Stage,
  names: string,
  change: (tx: Tx) => Promise<unknown>,
  undo: (tx: Tx) => Promise<unknown>,
): Promise<Planted> {
  await db.transaction(async (tx) => void (await change(tx)));
  return { names, undo: () => db.transaction(async (tx) => void (await undo(tx))) };
}

const delivered = and(is(transfers.kind, 'claim'), within(transfers.state, ['accepted', 'settled']));

async function deliveredClaim({ db }: Stage) {
  const [claim] = await db.read
    .select()
    .from(transfers)
    .where(and(delivered, isNotNull(transfers.offerId)));
  return claim ?? null;
}

export const plantable: Record<string, Plant> = {
  /** An asset was traded behind the product's back. */
  assetMoved: async (stage) =>
    onSteam(stage, ({ people }) => {
      const isBot = ({ steamId }: { steamId: string }) => stage.tradeBots.includes(steamId);
      const asset = people.find((each) => isBot(each) && each.items.length > 0)?.items.shift();
      if (!asset) return null;
      people.find((each) => !isBot(each))?.items.push(asset);
      return `/${asset.assetid}`;
    }),

  /** One claim was given two offers. */
  sentTwice: async (stage) => {
    const claim = await deliveredClaim(stage);
    if (!claim) return null;
    return onSteam(stage, ({ offers }) => {
      const offer = offers.find(({ id }) => id === claim.offerId);
      if (!offer) return null;
      offers.push({ ...offer, id: `${offer.id}0` });
      return `transfer ${claim.id} has the offers`;
    });
  },

  /** A claim that was delivered brought nothing. */
  neverArrived: async (stage) => {
    const claim = await deliveredClaim(stage);
    if (!claim) return null;
    return onSteam(stage, ({ offers, trades }) => {
      const tradeId = offers.find(({ id }) => id === claim.offerId)?.tradeId;
      const trade = trades.find(({ id }) => id === tradeId);
      if (!trade) return null;
      trade.moves = [];
      return `transfer ${claim.id} delivered what never arrived`;
    });
  },

  /** A claim counts as delivered whose offer was not accepted. */
  deliveryInvented: async (stage) => {
    const ended = and(is(transfers.kind, 'claim'), within(transfers.state, ['cancelled', 'declined']));
    const [claim] = await stage.db.read.select().from(transfers).where(ended);
    if (!claim) return null;
    const { id, state } = claim;
    return inStore(
      stage,
      id,
      (tx) => tx.update(transfers).set({ state: 'settled' }).where(eq(transfers.id, id)),
      (tx) => tx.update(transfers).set({ state }).where(eq(transfers.id, id)),
    );
  },

  /** An item in custody counts as gone. */
  itemLost: async (stage) => {
    const [item] = await stage.db.read.select().from(items).where(is(items.state, 'held'));
    if (!item) return null;
    const { id, assetId } = item;
    return inStore(
      stage,
      `/${assetId}`,
      (tx) => tx.update(items).set({ state: 'gone' }).where(eq(items.id, id)),
      (tx) => tx.update(items).set({ state: 'held' }).where(eq(items.id, id)),
    );
  },

  /** An item counts as held by another bot than its ledger says. */
  itemElsewhere: async (stage) => {
    const [item] = await stage.db.read.select().from(items).where(is(items.state, 'held'));
    const [other] = await stage.db.read
      .select()
      .from(bots)
      .where(ne(bots.id, item?.botId ?? ''));
    if (!item || !other) return null;
    const { id, botId } = item;
    return inStore(
      stage,
      'the ledger’s holders',
      (tx) => tx.update(items).set({ botId: other.id }).where(eq(items.id, id)),
      (tx) => tx.update(items).set({ botId }).where(eq(items.id, id)),
    );
  },

  /** A draw names another winner than it was promised to. */
  drawForged: async (stage) => {
    const [draw] = await stage.db.read.select().from(draws).limit(1);
    if (!draw) return null;
    const { rewardId, twitchId } = draw;
    return inStore(
      stage,
      'draws of a rule',
      (tx) => tx.update(draws).set({ twitchId: '1' }).where(eq(draws.rewardId, rewardId)),
      (tx) => tx.update(draws).set({ twitchId }).where(eq(draws.rewardId, rewardId)),
    );
  },

  /** A rule's page counts a reward that nobody claimed. */
  endedMiscounted: async (stage) => {
    const [row] = await stage.db.read.select().from(endedRewards).limit(1);
    if (!row) return null;
    const same = and(
      eq(endedRewards.ruleId, row.ruleId),
      eq(endedRewards.appId, row.appId),
      eq(endedRewards.kindName, row.kindName),
    );
    return inStore(
      stage,
      'ended rewards by rule and kind',
      (tx) =>
        tx
          .update(endedRewards)
          .set({ claimed: row.claimed + 1 })
          .where(same),
      (tx) => tx.update(endedRewards).set({ claimed: row.claimed }).where(same),
    );
  },

  /** Points were taken for nothing. */
  pointsTaken: async (stage) =>
    inFile<TwitchTruth>(stage, 'twitch.json', ({ redemptions }) => {
      const refunded = redemptions.find(
        ({ id, status }) => status === 'CANCELED' && !stage.settledByHand.has(id),
      );
      if (!refunded) return null;
      refunded.status = 'FULFILLED';
      return `redemption ${refunded.id} is FULFILLED`;
    }),

  /** Somebody is credited with time that they never watched. */
  timeInvented: async (stage) => {
    const [row] = await stage.db.read.select().from(watchTimes).limit(1);
    if (!row) return null;
    const { channelId, twitchId, seconds } = row;
    const same = and(eq(watchTimes.channelId, channelId), eq(watchTimes.twitchId, twitchId));
    return inStore(
      stage,
      `${twitchId} is credited with`,
      (tx) =>
        tx
          .update(watchTimes)
          .set({ seconds: seconds + 1_000_000 })
          .where(same),
      (tx) => tx.update(watchTimes).set({ seconds }).where(same),
    );
  },

  /** Mails to somebody did not arrive. */
  mailLost: async ({ sandboxFolder }) => {
    const folder = join(sandboxFolder, 'mail');
    const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Mail;
    const recipient = readdirSync(folder).map(read)[0]?.to[0];
    if (!recipient) return null;
    const lost = readdirSync(folder).filter((file) => read(file).to.includes(recipient));
    const away = (file: string) => join(sandboxFolder, `lost-${file}`);
    for (const file of lost) renameSync(join(folder, file), away(file));
    return {
      names: `${recipient} got 0 of`,
      undo: async () => {
        for (const file of lost) renameSync(away(file), join(folder, file));
      },
    };
  },
};
