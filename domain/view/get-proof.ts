import { and, asc, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { type Candidate, draws } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { pendingRewardStates, rewards, type StopReason } from '#db/schema/reward.ts';
import { type RuleState, ruleCorrections, rules } from '#db/schema/rule.ts';
import { countStopped, type StoppedCounts } from '#domain/claim/count-stopped.ts';
import { fingerprintOf } from '#domain/draw/fingerprint.ts';
import { withChances } from '#domain/draw/list-chances.ts';
import { commitmentOf, pickCandidate } from '#domain/draw/pick-candidate.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';

/** The public data of a random rule. */
export interface RuleProof {
  ruleId: string;
  ruleName: string;
  channelName: string;
  state: RuleState;
  createdAtMs: number;
  closedAtMs: number | null;
  /** SHA-256 of the seed. */
  commitment: string;
  /** Null until the rule is closed, because anybody who knows the seed can predict every draw. */
  seed: string | null;
  draws: number;
  /** Number of times that a kind's weight or free rewards changed since the first draw. */
  changes: number;
  /** Number of corrections of the rule. */
  corrections: number;
  /** The rule whose place it took, and the one that took its place. */
  succeedsId: string | null;
  successorId: string | null;
  /** The draw after which all of these are recorded; above 0 if that draw is older than the record. */
  changesFrom: number;
  /** The latest draw, whose fingerprint covers all of them; null before the first. */
  head: DrawHead | null;
  /** The drawn rewards whose claims the rule's owner stopped. */
  stopped: StoppedCounts;
  /** True if the rule is closed and nothing that it promised can still be stopped. */
  isOver: boolean;
}

export interface DrawHead {
  number: number;
  fingerprint: string;
}

export interface DrawProof {
  number: number;
  twitchId: string;
  drawnAtMs: number;
  candidates: (Candidate & { chance: number })[];
  rewardId: string;
  /** The drawn item. */
  item: { name: string; iconUrl: string; typeTag: string; rarityTag: string };
  chance: number;
  fingerprint: string;
  /** The previous draw's fingerprint; for the first draw, the commitment. */
  previousFingerprint: string;
  /** The reason why the rule's owner stopped the claim of the drawn reward; null if they did not. */
  stopped: StopReason | null;
  /** True if repeating the draw now gives the same result. */
  agrees: boolean;
}

/** Returns the proof of a random rule, or null. */
export async function getRuleProof(db: Database, ruleId: string): Promise<RuleProof | null> {
  const found = await findDrawingRule(db, ruleId);
  return found?.proof ?? null;
}

/** Lists a rule's draws, oldest first. */
export async function listDraws(
  db: Database,
  asked: { ruleId: string; after?: string | null; size?: number },
): Promise<Page<DrawProof>> {
  const { ruleId, size = PAGE_SIZE } = asked;
  const place = decodeCursor(asked.after, ['number']);
  const found = await findDrawingRule(db, ruleId);
  if (!found) return { rows: [], next: null };
  const rows = await selectDraws(
    db,
    and(eq(draws.ruleId, ruleId), place ? gt(draws.number, place[0]) : undefined),
    size + 1,
  );
  const page = pageOf(rows, size, ({ draw }) => [draw.number]);
  return { next: page.next, rows: page.rows.map((row) => prove(found.seed, row)) };
}

/** Returns one draw of a rule, or null. */
export async function getDrawProof(
  db: Database,
  { ruleId, number }: { ruleId: string; number: number },
): Promise<{ rule: RuleProof; draw: DrawProof } | null> {
  const found = await findDrawingRule(db, ruleId);
  if (!found) return null;
  const [row] = await selectDraws(db, and(eq(draws.ruleId, ruleId), eq(draws.number, number)), 1);
  return row ? { rule: found.proof, draw: prove(found.seed, row) } : null;
}

/** The reason why the claim of a drawn reward was stopped. */
export const stoppedFor = sql<StopReason | null>`case when ${rewards.recallReason} = 'stopped' then ${rewards.stopReason} end`;

const selectDraws = (db: Database, where: SQL | undefined, limit: number) =>
  db.read
    .select({
      draw: draws,
      stopped: stoppedFor,
      item: {
        name: items.name,
        iconUrl: items.iconUrl,
        typeTag: items.typeTag,
        rarityTag: items.rarityTag,
      },
    })
    .from(draws)
    .innerJoin(rewards, eq(rewards.id, draws.rewardId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(where)
    .orderBy(asc(draws.number))
    .limit(limit);

async function findDrawingRule(db: Database, ruleId: string) {
  const [row] = await db.read
    .select({
      ruleName: rules.name,
      channelName: channels.displayName,
      state: rules.state,
      createdAtMs: rules.createdAtMs,
      closedAtMs: rules.closedAtMs,
      seed: rules.seed,
      changes: rules.changeCount,
      changesFrom: rules.changesFromDraw,
      succeedsId: rules.succeedsId,
    })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(and(eq(rules.id, ruleId), eq(rules.type, 'random')));
  if (!row) return null;
  const { seed, ...rule } = row;
  const head = await findHead(db, ruleId);
  const [successor] = await db.read.select({ id: rules.id }).from(rules).where(eq(rules.succeedsId, ruleId));
  const proof: RuleProof = {
    ruleId,
    ...rule,
    commitment: commitmentOf(seed),
    seed: rule.state === 'closed' ? seed : null,
    corrections: await db.read.$count(ruleCorrections, eq(ruleCorrections.ruleId, ruleId)),
    successorId: successor?.id ?? null,
    draws: head?.number ?? 0,
    head,
    stopped: await countStopped(db.read, eq(rewards.ruleId, ruleId)),
    isOver: rule.state === 'closed' && !(await mayStillStop(db.read, ruleId)),
  };
  return { seed, proof };
}

async function mayStillStop(read: Reader, ruleId: string): Promise<boolean> {
  const [pending] = await read
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.ruleId, ruleId), within(rewards.state, pendingRewardStates)))
    .limit(1);
  return pending !== undefined;
}

/** Draws are numbered without gaps, so the latest number is their count. */
async function findHead(db: Database, ruleId: string): Promise<DrawHead | null> {
  const [last] = await db.read
    .select()
    .from(draws)
    .where(eq(draws.ruleId, ruleId))
    .orderBy(desc(draws.number))
    .limit(1);
  return last ? { number: last.number, fingerprint: fingerprintOf(last) } : null;
}

function prove(
  seed: string,
  { draw, item, stopped }: Awaited<ReturnType<typeof selectDraws>>[number],
): DrawProof {
  const { ruleId, number, twitchId, drawnAtMs, rewardId, previousFingerprint } = draw;
  const candidates = withChances(draw.candidates);
  const again = pickCandidate(seed, { ruleId, number, twitchId }, candidates);
  return {
    number,
    twitchId,
    drawnAtMs,
    candidates,
    rewardId,
    item,
    chance: candidates.find((each) => each.rewardId === rewardId)?.chance ?? 0,
    fingerprint: fingerprintOf(draw),
    previousFingerprint,
    stopped,
    agrees: again.rewardId === rewardId,
  };
}
