import { z } from 'zod';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import {
  cancelRefusals,
  depositRefusals,
  inventoryRefusals,
  returnRefusals,
} from '#app/services/forms/trading-refusals.server.ts';
import { depositPicks, readDepositable } from '#app/services/items/deposit.server.ts';
import { wornPieces } from '#app/services/items/inventory-kinds.server.ts';
import { pieceKey } from '#app/services/items/picks.server.ts';
import { wornPiecesPage } from '#app/services/items/worn-pieces.server.ts';
import type { Database } from '#db/database.ts';
import { transferKinds, transferStates } from '#db/schema/transfer.ts';
import { custodyFilters, getCustodyTotals, listCustody } from '#domain/item/list-custody.ts';
import { wornPiecesCursor } from '#domain/item/list-worn-pieces.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import {
  getTransfer,
  listTransfers,
  type TransferPhase,
  transferPhases,
  withAll,
} from '#domain/transfer/list-transfers.ts';
import { returnKinds } from '#domain/transfer/return-kinds.ts';
import { listOwnOffers } from '#domain/view/list-own-offers.ts';
import { isConfirmedCall } from '../caller.server.ts';
import { cooldownText } from '../cooldown.server.ts';
import { endpoint } from '../endpoint.ts';
import { kindsInCustody } from '../kind-ids.server.ts';
import {
  amountsOf,
  inventoryResource,
  itemResource,
  openOfferResource,
  pieceResource,
  transferResource,
} from '../present.server.ts';
import { inventoryItems, itemPieces, items, openOffers, transfers } from '../resources.ts';
import { base, gameFilter, idParams, notFound, pickedPieces, searchFilter } from './fields.ts';

const phases = Object.keys(transferPhases) as [TransferPhase, ...TransferPhase[]];
const someItems = z.strictObject({ items: pickedPieces });
const custodyMeta = z.strictObject({
  totals: items.attributes
    .pick({ total: true, available: true, unavailable: true, in_cooldown: true, cooldown_until: true })
    .extend(items.attributes.pick({ assigned: true, moving: true, missing: true }).shape),
});
const inventoryMeta = z.strictObject({
  /** Games whose inventory could not be read. */
  missing_games: z.array(z.string()),
  /** Games of which more items follow: their pages are still being read, or one could not be. */
  incomplete_games: z.array(z.string()),
  age_ms: z.number(),
});
const openOffersMeta = z.strictObject({
  /** The connected Steam account; null if there is none. */
  steam_id: z.string().nullable(),
  bots: z.array(z.strictObject({ name: z.string(), profile_name: z.string(), steam_id: z.string() })),
});
const ownOffer = { status: 202, data: 'many', of: [transfers] } as const;

async function transfersOf(db: Database, userId: string, ids: readonly string[]) {
  const found = await Promise.all(ids.map((transferId) => getTransfer(db, { transferId, userId })));
  return found.flatMap((transfer) => (transfer ? [transferResource(transfer)] : []));
}

export const itemEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/items`,
    name: 'listItems',
    access: 'verified',
    filter: z.strictObject({
      state: z.enum(custodyFilters).optional(),
      name: searchFilter,
      app_id: gameFilter,
    }),
    cursor: ['text', 'number', 'text'],
    answers: { data: 'many', of: [items], meta: custodyMeta },
    async handle({ db, nowMs, account, filter, page }) {
      const ownerId = account.id;
      const { name: search, state, app_id: appId } = filter;
      const [{ rows, next }, totals] = await Promise.all([
        listCustody(db, { ownerId, search, appId, filter: state, ...page }, nowMs),
        getCustodyTotals(db, { ownerId }, nowMs),
      ]);
      return { data: rows.map(itemResource), next, meta: { totals: amountsOf(totals) } };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/item-pieces`,
    name: 'listItemPieces',
    access: 'verified',
    cursor: wornPiecesCursor,
    answers: { data: 'many', of: [itemPieces] },
    async handle({ db, nowMs, account, page }) {
      const { rows, next } = await wornPiecesPage(db, { ownerId: account.id, ...page }, nowMs);
      return { data: rows.map(pieceResource), next };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/inventory`,
    name: 'listInventory',
    access: 'verified',
    filter: z.strictObject({ app_id: gameFilter, each: z.literal('true').optional() }),
    answers: { data: 'many', of: [inventoryItems], meta: inventoryMeta },
    refuses: { ...inventoryRefusals, steamNotLinked: depositRefusals.steamNotLinked },
    async handle({ db, account, filter, refuse }) {
      if (!account.steam) return refuse('steamNotLinked');
      const owner = { userId: account.id, steamId: account.steam.steamId };
      const read = await readDepositable(db, owner, { appIds: filter.app_id ? [filter.app_id] : [] });
      if (!read.ok) return refuse(read.code);
      const wanted = read.kinds
        .filter(({ appId }) => filter.app_id === undefined || appId === filter.app_id)
        .flatMap((kind) => (filter.each ? wornPieces(kind) : [kind]));
      return {
        data: wanted.map(inventoryResource),
        meta: {
          missing_games: read.missing,
          incomplete_games: read.parts.map(({ game }) => game),
          age_ms: read.ageMs,
        },
      };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/items/deposit`,
    name: 'depositItems',
    access: 'verified',
    body: { type: 'deposits', attributes: someItems },
    repeatable: true,
    includes: { items: true },
    answers: ownOffer,
    refuses: { ...depositRefusals, ...inventoryRefusals },
    async handle({ db, nowMs, account, body, requestId, refuse }) {
      const picks = body.items.map(({ kind_id, wear, quantity }) => ({
        key: wear ? pieceKey(kind_id, wear) : kind_id,
        quantity,
      }));
      const outcome = await depositPicks(db, { requestId, account, picks }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: await transfersOf(db, account.id, [outcome.transferId]) };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/items/return`,
    name: 'returnItems',
    access: 'verified',
    body: { type: 'returns', attributes: someItems },
    repeatable: true,
    includes: { items: true },
    answers: ownOffer,
    refuses: returnRefusals,
    async handle({ context, proof, db, nowMs, account, body, requestId, refuse }) {
      const confirmed = isConfirmedCall({ context, proof });
      const kindOf = await kindsInCustody(db, account.id);
      const kinds = body.items.map(({ kind_id, ...amount }) => ({ ...kindOf(kind_id), ...amount }));
      const asked = { requestId, userId: account.id, kinds, confirmed };
      const outcome = await returnKinds(db, asked, nowMs);
      if (!outcome.ok && outcome.code === 'itemUnavailable') {
        const detail = await cooldownText(db, { ownerId: account.id, kinds }, nowMs);
        return refuse(outcome.code, 'items', detail);
      }
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: await transfersOf(db, account.id, outcome.transferIds) };
    },
  }),
];

export const transferEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/transfers`,
    name: 'listTransfers',
    access: 'verified',
    filter: z.strictObject({
      kind: z.enum(transferKinds).optional(),
      phase: z.enum(phases).optional(),
      state: z.enum(transferStates).optional(),
    }),
    cursor: ['text'],
    includes: { items: false },
    answers: { data: 'many', of: [transfers] },
    async handle({ db, account, filter, page }) {
      const { rows, next } = await listTransfers(db, { userId: account.id, ...filter, ...page });
      return { data: (await withAll(db, rows)).map(transferResource), next };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/transfers/{id}`,
    name: 'getTransfer',
    access: 'verified',
    params: idParams,
    includes: { items: true },
    answers: { data: 'one', of: [transfers] },
    refuses: notFound,
    async handle({ db, account, params, refuse }) {
      const transfer = await getTransfer(db, { transferId: params.id, userId: account.id });
      return transfer ? { data: transferResource(transfer) } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/open-offers`,
    name: 'listOpenOffers',
    access: 'verified',
    answers: { data: 'many', of: [openOffers], meta: openOffersMeta },
    async handle({ db, account }) {
      const { steamId, bots, offers } = await listOwnOffers(db, { userId: account.id });
      const named = bots.map(({ name, profileName, steamId: steam_id }) => ({
        name,
        profile_name: profileName,
        steam_id,
      }));
      return { data: offers.map(openOfferResource), meta: { steam_id: steamId, bots: named } };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/transfers/{id}/cancel`,
    name: 'cancelTransfer',
    access: 'verified',
    params: idParams,
    includes: { items: false },
    answers: { status: 202, data: 'one', of: [transfers] },
    refuses: { ...cancelRefusals, ...notFound },
    async handle({ db, nowMs, account, params, refuse }) {
      const asked = { transferId: params.id, userId: account.id };
      const outcome = await cancelTransfer(db, asked, nowMs);
      const transfer = await getTransfer(db, asked);
      if (!transfer?.own) return refuse('notFound');
      // Cancelling twice returns the same result.
      if (!outcome.ok && transfer.state !== 'cancelled') return refuse(outcome.code);
      nudgeBot();
      return { data: transferResource(transfer) };
    },
  }),
];
