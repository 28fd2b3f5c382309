import {
  and,
  asc,
  count,
  desc,
  eq,
  lt,
  min,
  or,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { alias, is, isAmong, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { type BotState, bots } from '#db/schema/bot.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import {
  liveTransferStates,
  type TransferKind,
  type TransferState,
  transferItems,
  transferSteps,
  transfers,
} from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { kindColumns } from '#domain/item/kind-columns.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';

/** Groups of transfer states: in progress, completed, and ended without a lasting exchange. */
export const transferPhases = {
  open: liveTransferStates,
  done: ['accepted', 'settled'],
  ended: ['declined', 'expired', 'cancelled', 'failed', 'reversed'],
} as const satisfies Record<string, readonly TransferState[]>;
export type TransferPhase = keyof typeof transferPhases;

/** The bot of a transfer. Its profile's name is empty, and its Steam level null, until they are read. */
export interface ListedBot {
  name: string;
  profileName: string;
  steamId: string | null;
  state: BotState;
  firstSeenAtMs: number;
  level: number | null;
}

export interface ListedTransfer {
  id: string;
  kind: TransferKind;
  state: TransferState;
  /** True for the reader's own transfer; false for a viewer's claim on the reader's rule, which is read-only. */
  own: boolean;
  /** The reader's own name, or the viewer's Twitch name: empty if they disconnected Twitch. */
  userName: string;
  ruleName: string | null;
  /** The reward that a claim is for. */
  rewardId: string | null;
  createdAtMs: number;
  sentAtMs: number | null;
  expiresAtMs: number | null;
  cancelAtMs: number | null;
  acceptedAtMs: number | null;
  settlesAtMs: number | null;
  cancelWanted: boolean;
  lastError: string | null;
  offerId: string | null;
  /** Shown only to the receiver, who uses it to verify the offer. */
  securityCode: string | null;
  bot: ListedBot;
}

export type TransferWithSteps = ListedTransfer & { steps: TransferStep[] };
export type WholeTransfer = TransferWithSteps & { items: TransferItem[] };

export interface TransferStep {
  state: TransferState;
  event: string;
  detail: string | null;
  atMs: number;
}

export interface TransferItem extends ItemKind {
  quantity: number;
}

/** The kind of a transfer whose name comes first, and the number of items of all its kinds. */
export interface FirstItem extends TransferItem {
  total: number;
}

/** Lists the user's own transfers and claims on the user's rules, newest first. */
export async function listTransfers(
  db: Database,
  asked: {
    userId: string;
    kind?: TransferKind | undefined;
    phase?: TransferPhase | undefined;
    state?: TransferState | undefined;
    after?: string | null;
    size?: number;
  },
): Promise<Page<ListedTransfer>> {
  const size = asked.size ?? PAGE_SIZE;
  const ids = await pageOfTransfers(db, asked, size + 1);
  if (ids.length === 0) return { rows: [], next: null };
  const found = await readTransfers(db.read, { ids: JSON.stringify(ids) });
  const { rows, next } = pageOf(found, size, (row) => [row.id]);
  return { rows: listedFor(asked.userId, rows), next };
}

type Asked = Pick<Parameters<typeof listTransfers>[1], 'kind' | 'phase' | 'state' | 'after'>;
type Bounds = { userId: string | Placeholder; limit: number | Placeholder };

function fits({ kind, phase, state, after }: Asked): SQL | undefined {
  const place = decodeCursor(after, ['text']);
  return and(
    kind ? is(transfers.kind, kind) : undefined,
    phase ? within(transfers.state, transferPhases[phase]) : undefined,
    state ? is(transfers.state, state) : undefined,
    place ? lt(transfers.id, place[0]) : undefined,
  );
}

const selectOwn = (q: Reader, { userId, limit }: Bounds, asked: Asked = {}) =>
  q
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(eq(transfers.userId, userId), fits(asked)))
    .orderBy(desc(transfers.id))
    .limit(limit);

const selectClaims = (q: Reader, { userId, limit }: Bounds, asked: Asked = {}) =>
  q
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(eq(transfers.ruleOwnerId, userId), fits(asked)))
    .orderBy(desc(transfers.id))
    .limit(limit);

const bounds = { userId: sql.placeholder('userId'), limit: sql.placeholder('limit') };
const readNewestOwn = statement('newest_own_transfers', (q) => selectOwn(q, bounds));
const readNewestClaims = statement('newest_claims', (q) => selectClaims(q, bounds));

/**
 * Returns the transfer ids of one page. The user's own transfers and claims on the user's rules are read separately
 * so that each query uses its own index.
 */
async function pageOfTransfers(
  { read }: Database,
  { userId, ...asked }: Parameters<typeof listTransfers>[1],
  limit: number,
): Promise<string[]> {
  const of = { userId, limit };
  // Most requests are for the first page without filters, which has prepared statements.
  const isFirst = !(asked.kind || asked.phase || asked.state || asked.after);
  const own = await (isFirst ? readNewestOwn(read, of) : selectOwn(read, of, asked));
  const claims = await (isFirst ? readNewestClaims(read, of) : selectClaims(read, of, asked));
  const found = [...own, ...claims].map(({ id }) => id);
  return [...new Set(found)].sort().reverse().slice(0, limit);
}

/** Returns a transfer the user may see, or null if it does not exist or is someone else's. */
export async function getTransfer(
  db: Database,
  { transferId, userId }: { transferId: string; userId: string },
): Promise<WholeTransfer | null> {
  const rows = await selectTransfers(db.read, and(eq(transfers.id, transferId), visibleTo(userId)));
  const [transfer] = await withAll(db, listedFor(userId, rows));
  return transfer ?? null;
}

/** Adds to transfers their items by kind, and the steps they have taken. */
export async function withAll(db: Database, listed: readonly ListedTransfer[]): Promise<WholeTransfer[]> {
  if (listed.length === 0) return [];
  const items = byTransfer(await readItems(db.read, { ids: idsOf(listed) }));
  const stepped = await withSteps(db, listed);
  return stepped.map((transfer) => ({ ...transfer, items: items.get(transfer.id) ?? [] }));
}

/**
 * Reads, for each transfer, the one kind that stands for all of its items, which costs less than reading them
 * all.
 */
export async function firstItemsOf(
  { read }: Database,
  listed: readonly ListedTransfer[],
): Promise<ReadonlyMap<string, FirstItem>> {
  const found = listed.length === 0 ? [] : await readFirstItems(read, { ids: idsOf(listed) });
  return new Map(found.map((item) => [item.transferId, item]));
}

/** Adds to transfers the steps they have taken, oldest first. */
export async function withSteps(
  { read }: Database,
  listed: readonly ListedTransfer[],
): Promise<TransferWithSteps[]> {
  if (listed.length === 0) return [];
  const steps = byTransfer(await readSteps(read, { ids: idsOf(listed) }));
  return listed.map((transfer) => ({ ...transfer, steps: steps.get(transfer.id) ?? [] }));
}

const visibleTo = (userId: string): SQL | undefined =>
  or(eq(transfers.userId, userId), eq(rules.ownerId, userId));

const askers = alias(users, 'askers');

const selectTransfers = (q: Reader, where: SQL | undefined) =>
  q
    .select({
      id: transfers.id,
      kind: transfers.kind,
      state: transfers.state,
      userId: transfers.userId,
      userName: askers.name,
      viewerName: twitchAccounts.displayName,
      ruleName: rules.name,
      rewardId: transfers.rewardId,
      createdAtMs: transfers.createdAtMs,
      sentAtMs: transfers.sentAtMs,
      expiresAtMs: transfers.expiresAtMs,
      cancelAtMs: transfers.cancelAtMs,
      acceptedAtMs: transfers.acceptedAtMs,
      settlesAtMs: transfers.settlesAtMs,
      cancelWanted: transfers.cancelWanted,
      lastError: transfers.lastError,
      offerId: transfers.offerId,
      securityCode: transfers.securityCode,
      botName: bots.id,
      botProfileName: bots.profileName,
      botSteamId: bots.steamId,
      botState: bots.state,
      botFirstSeenAtMs: bots.firstSeenAtMs,
      botLevel: bots.steamLevel,
    })
    .from(transfers)
    .innerJoin(askers, eq(askers.id, transfers.userId))
    .innerJoin(bots, eq(bots.id, transfers.botId))
    .leftJoin(rewards, eq(rewards.id, transfers.rewardId))
    .leftJoin(rules, eq(rules.id, rewards.ruleId))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .where(where)
    .orderBy(desc(transfers.id));

const isAsked = (column: SQLWrapper): SQL => isAmong(column, sql.placeholder('ids'));

const readTransfers = statement('transfers_of_page', (q) => selectTransfers(q, isAsked(transfers.id)));

const readSteps = statement('steps_of_page', (q) =>
  q
    .select({
      transferId: transferSteps.transferId,
      state: transferSteps.state,
      event: transferSteps.event,
      detail: transferSteps.detail,
      atMs: transferSteps.atMs,
    })
    .from(transferSteps)
    .where(isAsked(transferSteps.transferId))
    .orderBy(asc(transferSteps.atMs), asc(transferSteps.id)),
);

const readItems = statement('items_of_page', (q) =>
  q
    .select({
      transferId: transferItems.transferId,
      ...kindColumns(transferItems),
      quantity: count().as('quantity'),
    })
    .from(transferItems)
    .where(isAsked(transferItems.transferId))
    .groupBy(
      transferItems.transferId,
      transferItems.appId,
      transferItems.marketHashName,
      transferItems.traits,
    )
    .orderBy(asc(transferItems.marketHashName), asc(transferItems.appId), asc(transferItems.traits)),
);

/**
 * All kinds with the same market name are read; the last row, of the first game and without traits, is the
 * one that stays.
 */
const readFirstItems = statement('first_items_of_page', (q) => {
  const firsts = q
    .select({
      transferId: transferItems.transferId,
      name: min(transferItems.marketHashName).as('first_name'),
      total: count().as('total'),
    })
    .from(transferItems)
    .where(isAsked(transferItems.transferId))
    .groupBy(transferItems.transferId)
    .as('firsts');
  return q
    .select({
      transferId: transferItems.transferId,
      ...kindColumns(transferItems),
      quantity: count().as('quantity'),
      total: firsts.total,
    })
    .from(firsts)
    .innerJoin(
      transferItems,
      and(eq(transferItems.transferId, firsts.transferId), eq(transferItems.marketHashName, firsts.name)),
    )
    .groupBy(
      transferItems.transferId,
      transferItems.appId,
      transferItems.marketHashName,
      transferItems.traits,
      firsts.total,
    )
    .orderBy(desc(transferItems.appId), desc(transferItems.traits));
});

const idsOf = (rows: readonly { id: string }[]) => JSON.stringify(rows.map(({ id }) => id));

/** Prepares these transfers for a reader, without what they may not see. */
function listedFor(readerId: string, rows: Awaited<ReturnType<typeof readTransfers>>): ListedTransfer[] {
  // Share one object per bot so that it is serialized once per page.
  const bots = new Map<string, ListedBot>();
  return rows.map((row) => {
    const own = row.userId === readerId;
    const bot = bots.get(row.botName) ?? botOf(row);
    bots.set(row.botName, bot);
    return {
      id: row.id,
      kind: row.kind,
      state: row.state,
      own,
      userName: own ? row.userName : (row.viewerName ?? ''),
      ruleName: row.ruleName,
      rewardId: row.rewardId,
      createdAtMs: row.createdAtMs,
      sentAtMs: row.sentAtMs,
      expiresAtMs: row.expiresAtMs,
      cancelAtMs: row.cancelAtMs,
      acceptedAtMs: row.acceptedAtMs,
      settlesAtMs: row.settlesAtMs,
      cancelWanted: row.cancelWanted,
      lastError: row.lastError,
      offerId: row.offerId,
      securityCode: own ? row.securityCode : null,
      bot,
    };
  });
}

const botOf = (row: Awaited<ReturnType<typeof readTransfers>>[number]): ListedBot => ({
  name: row.botName,
  profileName: row.botProfileName,
  steamId: row.botSteamId,
  state: row.botState,
  firstSeenAtMs: row.botFirstSeenAtMs,
  level: row.botLevel,
});

function byTransfer<Row extends { transferId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const lists = new Map<string, Row[]>();
  for (const row of rows) {
    const list = lists.get(row.transferId);
    if (list) list.push(row);
    else lists.set(row.transferId, [row]);
  }
  return lists;
}
