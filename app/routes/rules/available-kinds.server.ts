import { kindKey } from '#app/services/picks.server.ts';
import type { Database } from '#db/database.ts';
import { type CustodyKind, listCustody } from '#domain/item/list-custody.ts';

/** More kinds than anyone has. */
const ALL_KINDS = 10_000;

type Asked = Parameters<typeof listCustody>[1];

/** All kinds of a streamer's items in custody, on one page. */
export async function allKinds(
  db: Database,
  asked: Omit<Asked, 'size'>,
  nowMs: number,
): Promise<CustodyKind[]> {
  return (await listCustody(db, { ...asked, size: ALL_KINDS }, nowMs)).rows;
}

/** The kinds of a streamer's available items, as the browser needs them to let somebody pick. */
export async function pickableKinds(db: Database, ownerId: string, nowMs: number) {
  return (await allKinds(db, { ownerId, filter: 'available' }, nowMs)).map((kind) => ({
    key: kindKey(kind),
    available: kind.available,
    marketHashName: kind.marketHashName,
    name: kind.name,
    iconUrl: kind.iconUrl,
    typeLine: kind.typeLine,
    typeTag: kind.typeTag,
    rarityTag: kind.rarityTag,
    exterior: kind.exterior,
    traits: kind.traits,
    wear: kind.wear,
  }));
}
