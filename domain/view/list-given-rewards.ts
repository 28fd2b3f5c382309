import { and, desc, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';
import { draws } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rewards, type StopReason } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { transferSteps, transfers } from '#db/schema/transfer.ts';
import { contains } from '#db/search.ts';
import { shownBotName } from '#domain/bot/shown-bot-name.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';
import { PAGE_SIZE, type Page } from '#domain/kernel/page.ts';
import { hasStatus, type PromiseStatus, promiseStatusOf } from '#domain/reward/promise-status.ts';
import { latestClaim } from '#domain/transfer/latest-claim.ts';
import { type PromiseDates, pageInSpan, promiseSpan } from '#domain/view/promise-span.ts';

/** A reward of the streamer's rules that a viewer was promised, with its latest claim. */
export interface GivenReward {
  id: string;
  status: PromiseStatus;
  ruleId: string;
  ruleName: string;
  /** Null if no account has this Twitch account any more. */
  viewer: { displayName: string; pictureUrl: string } | null;
  item: ItemKind;
  promisedAtMs: number;
  claimUntilMs: number;
  transferId: string | null;
  offerId: string | null;
  /** The bot of the claim, as people see it. */
  botName: string | null;
  claimedAtMs: number | null;
  sentAtMs: number | null;
  deliveredAtMs: number | null;
  /** End of Steam's protection time, which may be over; null if nothing was delivered. */
  settlesAtMs: number | null;
  reversedAtMs: number | null;
  /** Set if the rule's owner stopped the claim, or asked for that too late. */
  stopReason: StopReason | null;
  stopAskedAtMs: number | null;
}

export interface GivenFilters extends Pick<PromiseDates, 'fromMs' | 'untilMs'> {
  /** A part of the viewer's, item's or rule's name, or the number of a Steam offer. */
  search?: string | undefined;
  ruleId?: string | undefined;
  /** Matches any of these. */
  statuses?: readonly PromiseStatus[] | undefined;
}

/** Lists the rewards that viewers were promised by all rules of a streamer, latest promise first. */
export async function listGivenRewards(
  db: Database,
  asked: GivenFilters & { ownerId: string; after?: string | null; size?: number },
): Promise<Page<GivenReward>> {
  const { ownerId, search = '', ruleId, statuses, size = PAGE_SIZE, ...dates } = asked;
  const offered = await rewardOfOffer(db, search);
  const whose = offered ? ownReward(offered, ownerId) : promisesOf(db, ownerId, ruleId);
  const fits = and(
    offered && ruleId ? eq(rewards.ruleId, ruleId) : undefined,
    statuses && or(...statuses.map((status) => hasStatus[status])),
    offered || search === '' ? undefined : isNamed(search),
  );
  const span = promiseSpan(db, whose, dates, fits ? undefined : size + 1);
  const rows = await selectGiven(db, span, fits, size + 1);
  const page = await pageInSpan(db, { rows, size, whose, dates });
  return { next: page.next, rows: page.rows.map(describe) };
}

/** A reward that a viewer was promised, with the way it came to them. */
export interface GivenRewardOrigin extends GivenReward {
  qualifiedAtMs: number | null;
  /** The draw that chose the reward; null if it was not drawn. */
  drawNumber: number | null;
}

/** Returns one of the rewards that viewers were promised by the streamer's rules, or null. */
export async function getGivenReward(
  db: Database,
  { rewardId, ownerId }: { rewardId: string; ownerId: string },
): Promise<GivenRewardOrigin | null> {
  const span = promiseSpan(db, ownReward(rewardId, ownerId), {}, 1);
  const [row] = await selectGiven(db, span, undefined, 1);
  if (!row) return null;
  const [origin] = await db.read
    .select({ qualifiedAtMs: qualifications.qualifiedAtMs, drawNumber: draws.number })
    .from(rewards)
    .leftJoin(
      qualifications,
      and(eq(qualifications.ruleId, rewards.ruleId), eq(qualifications.twitchId, rewards.twitchId)),
    )
    .leftJoin(draws, eq(draws.rewardId, rewards.id))
    .where(eq(rewards.id, rewardId));
  return {
    ...describe(row),
    qualifiedAtMs: origin?.qualifiedAtMs ?? null,
    drawNumber: origin?.drawNumber ?? null,
  };
}

const ownReward = (rewardId: string, ownerId: string) =>
  sql`${eq(rewards.id, rewardId)} and ${eq(rewards.ownerId, ownerId)}`;

/**
 * Uses the rule's own index for one rule, because its promises may lie far apart among all of its owner's.
 */
function promisesOf({ read }: Database, ownerId: string, ruleId: string | undefined): SQL {
  if (ruleId === undefined) return eq(rewards.ownerId, ownerId);
  const own = read
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.id, ruleId), eq(rules.ownerId, ownerId)));
  return eq(rewards.ruleId, own);
}

/** Finds the reward that a Steam offer delivers; null if the search text is not the number of one of ours. */
async function rewardOfOffer({ read }: Database, search: string): Promise<string | null> {
  if (!/^\d{1,20}$/.test(search)) return null;
  const [offer] = await read
    .select({ rewardId: transfers.rewardId })
    .from(transfers)
    .where(eq(transfers.offerId, search));
  return offer?.rewardId ?? null;
}

const isNamed = (search: string) =>
  or(
    contains(twitchAccounts.displayName, search),
    contains(items.marketHashName, search),
    contains(rules.name, search),
  );

const selectGiven = (
  { read }: Database,
  span: ReturnType<typeof promiseSpan>,
  fits: SQL | undefined,
  limit: number,
) =>
  read
    .select({
      id: rewards.id,
      state: rewards.state,
      recallReason: rewards.recallReason,
      ruleId: rewards.ruleId,
      ruleName: rules.name,
      displayName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      item: itemFactColumns,
      promisedAtMs: sql<number>`coalesce(${rewards.promisedAtMs}, 0)`.mapWith(Number),
      claimUntilMs: sql<number>`coalesce(${rewards.claimUntilMs}, 0)`.mapWith(Number),
      transferId: transfers.id,
      transferState: transfers.state,
      offerId: transfers.offerId,
      botId: transfers.botId,
      botProfileName: bots.profileName,
      claimedAtMs: transfers.createdAtMs,
      sentAtMs: transfers.sentAtMs,
      deliveredAtMs: rewards.claimedAtMs,
      settlesAtMs: transfers.settlesAtMs,
      reversedAtMs: transferSteps.atMs,
      stopReason: rewards.stopReason,
      stopAskedAtMs: rewards.stopAskedAtMs,
    })
    .from(span)
    .innerJoin(rewards, eq(rewards.id, span.id))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .leftJoin(transfers, eq(transfers.id, latestClaim(read)))
    .leftJoin(bots, eq(bots.id, transfers.botId))
    .leftJoin(
      transferSteps,
      and(eq(transferSteps.transferId, transfers.id), is(transferSteps.state, 'reversed')),
    )
    .where(fits)
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(limit);

function describe(row: Awaited<ReturnType<typeof selectGiven>>[number]): GivenReward {
  const { state, recallReason, transferState, displayName, pictureUrl, botId, botProfileName, ...reward } =
    row;
  const botName = botId === null ? null : shownBotName({ name: botId, profileName: botProfileName ?? '' });
  const viewer = displayName === null ? null : { displayName, pictureUrl: pictureUrl ?? '' };
  const status = promiseStatusOf({ state, recallReason, transferState });
  // A claim that failed is undone: the reward can be claimed again.
  const undone = status === 'promised' ? { claimedAtMs: null, sentAtMs: null } : {};
  return { ...reward, ...undone, botName, viewer, status };
}
