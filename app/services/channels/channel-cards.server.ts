import { type ItemPicture, rarities } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import type { ShownChannel } from '#app/routes/channels/channel-summary.tsx';
import type { Database } from '#db/database.ts';
import type { ListedChannel } from '#domain/channel/list-channels.ts';
import { shownNameOf } from '#domain/item/market-name.ts';
import { type FreeKind, listFreeKinds } from '#domain/reward/list-free-kinds.ts';

/** Pictures per card. */
const PICTURES = 3;

/** Data for channel cards: the rarest free reward with what it takes, and pictures of the rarest. */
export async function cardsOf(db: Database, channels: readonly ListedChannel[]): Promise<ShownChannel[]> {
  const kinds = await listFreeKinds(
    db,
    channels.map(({ id }) => id),
  );
  return channels.map(({ lastSeenAtMs: _, ...channel }) => {
    const free = differentKinds(
      kinds.filter(({ channelId, isPaused }) => channelId === channel.id && !isPaused),
    )
      .map(({ ruleId, name, asks, ...kind }) => ({ ruleId, name, asks, picture: pictureOf(kind) }))
      .sort((one, other) => rarityOf(other) - rarityOf(one));
    const [best] = free;
    return {
      ...channel,
      best: best ? { ruleId: best.ruleId, name: best.name, asks: best.asks } : null,
      pictures: free.slice(0, PICTURES).map(({ picture }) => picture),
    };
  });
}

const rarityOf = ({ picture }: { picture: ItemPicture }): number => rarities.indexOf(picture.rarity);

/** Two rules of a channel may give the same kind. */
const differentKinds = (kinds: readonly FreeKind[]): FreeKind[] =>
  [...new Map(kinds.toReversed().map((kind) => [shownNameOf(kind), kind])).values()].toReversed();
