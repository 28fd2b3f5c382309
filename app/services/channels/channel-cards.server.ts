import { pictureOf } from '#app/components/items/item-facts.ts';
import type { ShownChannel } from '#app/routes/channels/channel-summary.tsx';
import type { Database } from '#db/database.ts';
import type { ListedChannel } from '#domain/channel/list-channels.ts';
import { listFreeKinds } from '#domain/reward/list-free-kinds.ts';

/** Pictures per card. */
const PICTURES = 3;

/** Data for channel cards, with pictures of free rewards. */
export async function cardsOf(db: Database, channels: readonly ListedChannel[]): Promise<ShownChannel[]> {
  const kinds = await listFreeKinds(
    db,
    channels.map(({ id }) => id),
  );
  return channels.map(({ lastSeenAtMs: _, ...channel }) => ({
    ...channel,
    pictures: differentKinds(kinds.filter(({ channelId }) => channelId === channel.id))
      .slice(0, PICTURES)
      .map(pictureOf),
  }));
}

/** Two rules of a channel may give the same kind. */
const differentKinds = <Kind extends { marketHashName: string }>(kinds: readonly Kind[]): Kind[] =>
  [...new Map(kinds.toReversed().map((kind) => [kind.marketHashName, kind])).values()].toReversed();
