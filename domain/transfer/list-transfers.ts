import { and, asc, count, desc, eq, inArray, isNotNull, lt, or, type SQL } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { alias, is, within } from '#db/dialect.ts';
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
import { kindColumns } from '#domain/item/kind-columns.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/page.ts';

/** Transfers by how far they are: still under way, done, or ended without moving anything for good. */
export const transferPhases = {
  open: liveTransferStates,
  done: ['accepted', 'settled'],
  ended: ['declined', 'expired', 'cancelled', 'failed', 'reversed'],
} as const satisfies Record<string, readonly TransferState[]>;
export type TransferPhase = keyof typeof transferPhases;

export interface ListedTransfer {
  id: string;
  kind: TransferKind;
  state: TransferState;
  /** Whose it is: one's own, or a viewer's claim on one's own rule, which one may look at only. */
  own: boolean;
  userName: string;
  ruleName: string | null;
  createdAtMs: number;
  sentAtMs: number | null;
  expiresAtMs: number | null;
  cancelAtMs: number | null;
  acceptedAtMs: number | null;
  settlesAtMs: number | null;
  cancelWanted: boolean;
  lastError: string | null;
  offerId: string | null;
  /** Only for whom the offer is meant: it is how they know it again. */
  securityCode: string | null;
  bot: { name: string; steamId: string | null; state: BotState; firstSeenAtMs: number };
  steps: TransferStep[];
  items: TransferItem[];
}

export interface TransferStep {
  state: TransferState;
  event: string;
  detail: string | null;
  atMs: number;
}

export interface TransferItem extends ItemKind {
  quantity: number;
}

/** A user's own transfers, and claims on the user's rules, the latest first, each with its steps and items. */
export async function listTransfers(
  database: Database,
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
  const ids = await pageOfTransfers(database, asked, size + 1);
  if (ids.length === 0) return { rows: [], next: null };
  const found = await selectTransfers(database, inArray(transfers.id, ids), size + 1);
  const { rows, next } = pageOf(found, size, (row) => [row.id]);
  return { rows: await withDetails(database, rows, asked.userId), next };
}

/** Which transfers a page shows: one's own and claims on one's rules are found each by an index of its own. */
async function pageOfTransfers(
  database: Database,
  { userId, kind, phase, state, after }: Parameters<typeof listTransfers>[1],
  most: number,
): Promise<string[]> {
  const place = decodeCursor(after, ['text']);
  const asked = and(
    kind ? is(transfers.kind, kind) : undefined,
    phase ? within(transfers.state, transferPhases[phase]) : undefined,
    state ? is(transfers.state, state) : undefined,
    place ? lt(transfers.id, place[0]) : undefined,
  );
  const { read } = database;
  const own = read
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(eq(transfers.userId, userId), asked))
    .orderBy(desc(transfers.id))
    .limit(most);
  const claims = read
    .select({ id: transfers.id })
    .from(rules)
    .innerJoin(rewards, and(eq(rewards.ruleId, rules.id), isNotNull(rewards.twitchId)))
    .innerJoin(transfers, eq(transfers.rewardId, rewards.id))
    .where(and(eq(rules.ownerId, userId), asked))
    .orderBy(desc(transfers.id))
    .limit(most);
  const found = [...(await own), ...(await claims)].map(({ id }) => id);
  return [...new Set(found)].sort().reverse().slice(0, most);
}

/** One transfer that a user may look at, or null: another's id is as good as none. */
export async function getTransfer(
  database: Database,
  { transferId, userId }: { transferId: string; userId: string },
): Promise<ListedTransfer | null> {
  const rows = await selectTransfers(database, and(eq(transfers.id, transferId), visibleTo(userId)), 1);
  const [transfer] = await withDetails(database, rows, userId);
  return transfer ?? null;
}

/** How many of a user's own transfers are under way. */
export async function countOpenTransfers(
  database: Database,
  { userId }: { userId: string },
): Promise<number> {
  return database.read.$count(
    transfers,
    and(eq(transfers.userId, userId), within(transfers.state, liveTransferStates)),
  );
}

const visibleTo = (userId: string): SQL | undefined =>
  or(eq(transfers.userId, userId), eq(rules.ownerId, userId));

const askers = alias(users, 'askers');

const selectTransfers = (database: Database, where: SQL | undefined, most: number) =>
  database.read
    .select({
      id: transfers.id,
      kind: transfers.kind,
      state: transfers.state,
      userId: transfers.userId,
      userName: askers.name,
      ruleName: rules.name,
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
      bot: {
        name: bots.id,
        steamId: bots.steamId,
        state: bots.state,
        firstSeenAtMs: bots.firstSeenAtMs,
      },
    })
    .from(transfers)
    .innerJoin(askers, eq(askers.id, transfers.userId))
    .innerJoin(bots, eq(bots.id, transfers.botId))
    .leftJoin(rewards, eq(rewards.id, transfers.rewardId))
    .leftJoin(rules, eq(rules.id, rewards.ruleId))
    .where(where)
    .orderBy(desc(transfers.id))
    .limit(most);

async function withDetails(
  database: Database,
  rows: Awaited<ReturnType<typeof selectTransfers>>,
  readerId: string,
): Promise<ListedTransfer[]> {
  const ids = rows.map((row) => row.id);
  const [steps, items] = await Promise.all([stepsOf(database, ids), itemsOf(database, ids)]);
  return rows.map(({ userId, securityCode, ...row }) => {
    const own = userId === readerId;
    return {
      ...row,
      own,
      securityCode: own ? securityCode : null,
      steps: steps.get(row.id) ?? [],
      items: items.get(row.id) ?? [],
    };
  });
}

async function stepsOf(database: Database, ids: string[]): Promise<Map<string, TransferStep[]>> {
  if (ids.length === 0) return new Map();
  const rows = await database.read
    .select({
      transferId: transferSteps.transferId,
      state: transferSteps.state,
      event: transferSteps.event,
      detail: transferSteps.detail,
      atMs: transferSteps.atMs,
    })
    .from(transferSteps)
    .where(inArray(transferSteps.transferId, ids))
    .orderBy(asc(transferSteps.atMs), asc(transferSteps.id));
  return byTransfer(rows);
}

async function itemsOf(database: Database, ids: string[]): Promise<Map<string, TransferItem[]>> {
  if (ids.length === 0) return new Map();
  const rows = await database.read
    .select({
      transferId: transferItems.transferId,
      ...kindColumns(transferItems),
      quantity: count().as('quantity'),
    })
    .from(transferItems)
    .where(inArray(transferItems.transferId, ids))
    .groupBy(transferItems.transferId, transferItems.appId, transferItems.marketHashName)
    .orderBy(asc(transferItems.marketHashName));
  return byTransfer(rows);
}

function byTransfer<Row extends { transferId: string }>(rows: readonly Row[]) {
  const lists = new Map<string, Omit<Row, 'transferId'>[]>();
  for (const { transferId, ...row } of rows) {
    const list = lists.get(transferId);
    if (list) list.push(row);
    else lists.set(transferId, [row]);
  }
  return lists;
}
