import { and, asc, eq, gt, gte, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type Candidate, draws, type PoolChangeCause } from '#db/schema/draw.ts';
import { rewards, type StopReason } from '#db/schema/reward.ts';
import { type CorrectedValues, ruleCorrections, rules } from '#db/schema/rule.ts';
import { drawnAtText, fingerprintOf } from '#domain/draw/fingerprint.ts';
import { type ChangePlace, listPoolChangesBetween, type PoolChange } from '#domain/draw/pool-changes.ts';
import { type RuleValues, valueColumns } from '#domain/rule/list-corrections.ts';
import { type DrawHead, type RuleProof, stoppedFor } from '#domain/view/get-proof.ts';

/**
 * A page of the published data of a rule's draws, as the stand-alone verifier reads it, except for the next
 * page's address.
 */
export interface ProofPage {
  format: 'keepsake-draws/1';
  rule: {
    id: string;
    name: string;
    channel: string;
    createdAt: string;
    closedAt: string | null;
    /** The present values: the name, the kind of reward, the conditions, the time to claim. */
    terms: RuleValues;
    /** The rule whose place it took, and the one that took its place. */
    succeeds: string | null;
    succeededBy: string | null;
  };
  commitment: string;
  seed: string | null;
  /** The latest draw of the rule, whichever page it is on. */
  head: DrawHead | null;
  /** The last draw of the previous page; 0 on the first page. */
  after: number;
  draws: PublishedDraw[];
  /** The draw after which all changes are recorded. */
  changesFrom: number;
  /** The changes after each of these draws and before the next; no part of the fingerprints. */
  changes: PublishedChange[];
  /** The corrections after each of these draws and before the next, on the first page those before the first too. */
  corrections: PublishedCorrection[];
  /** Cursor of the rest of these changes; null if these are all. */
  moreChanges: string | null;
  /** The draw after which the next page starts; null on the last page. */
  next: number | null;
}

interface PublishedDraw {
  number: number;
  twitchId: string;
  drawnAt: string;
  candidates: Candidate[];
  rewardId: string;
  previous: string;
  fingerprint: string;
  /**
   * The reason why the claim of the drawn reward was stopped; null if it was not. No part of the fingerprint.
   */
  stopped: StopReason | null;
}

interface PublishedChange {
  /** The times of the first and the last change. */
  at: string;
  lastAt: string;
  times: number;
  cause: PoolChangeCause;
  afterDraw: number;
  appId: number;
  marketHashName: string;
  /** Number of rewards added in all; negative if they were removed. */
  added: number;
  /** The weight before the first and after the last change; null if it stayed. */
  weight: { before: number; after: number } | null;
}

interface PublishedCorrection {
  at: string;
  afterDraw: number;
  /** The old and the new values of everything that it changed. */
  before: CorrectedValues;
  after: CorrectedValues;
}

/** A further page of the changes that follow a page's draws. */
export interface ChangesPage {
  format: 'keepsake-changes/1';
  rule: { id: string };
  changes: PublishedChange[];
  moreChanges: string | null;
}

/** Maximum draws, candidate lines and changes per page: a few megabytes of text. */
const pageBounds = { draws: 1000, candidates: 20_000, changes: 5000 };
/** Number of draws read per query. */
const DRAWS_AT_ONCE = 100;

/**
 * Exports a rule's draws that follow a given one, up to the head of the proof read before; at least one, if
 * there is any.
 */
export async function exportProof(
  db: Database,
  { proof, after }: { proof: RuleProof; after: number },
  given: Partial<typeof pageBounds> = {},
): Promise<ProofPage> {
  const bounds = { ...pageBounds, ...given };
  const upTo = proof.head?.number ?? 0;
  const page: PublishedDraw[] = [];
  let lines = 0;
  let last = after;
  while (last < upTo && page.length < bounds.draws && lines < bounds.candidates) {
    const limit = Math.min(DRAWS_AT_ONCE, bounds.draws - page.length);
    const read = await drawsBetween(db, { ruleId: proof.ruleId, after: last, upTo }, limit);
    // Draws are never deleted; if one were missing anyway, the loop must still end.
    if (read.length === 0) break;
    for (const row of read) {
      if (lines >= bounds.candidates) break;
      page.push(published(row));
      lines += row.draw.candidates.length;
    }
    last = page.at(-1)?.number ?? last;
  }
  const span = { ruleId: proof.ruleId, after, upTo: last, place: null };
  return {
    format: 'keepsake-draws/1',
    rule: {
      id: proof.ruleId,
      name: proof.ruleName,
      channel: proof.channelName,
      createdAt: timeText(proof.createdAtMs),
      closedAt: proof.closedAtMs === null ? null : timeText(proof.closedAtMs),
      terms: await findTerms(db, proof.ruleId),
      succeeds: proof.succeedsId,
      succeededBy: proof.successorId,
    },
    commitment: proof.commitment,
    seed: proof.seed,
    head: proof.head,
    after,
    draws: page,
    changesFrom: proof.changesFrom,
    corrections: await correctionsBetween(db, { ruleId: proof.ruleId, from: after && after + 1, upTo: last }),
    ...(await changesOf(db, span, bounds.changes)),
    next: last < upTo ? last : null,
  };
}

/** Exports the changes that follow the draws after one, up to another, starting at a cursor. */
export async function exportChanges(
  db: Database,
  span: { ruleId: string; after: number; upTo: number; place: ChangePlace | null },
  size = pageBounds.changes,
): Promise<ChangesPage> {
  return {
    format: 'keepsake-changes/1',
    rule: { id: span.ruleId },
    ...(await changesOf(db, span, size)),
  };
}

async function changesOf(
  db: Database,
  { ruleId, after, upTo, place }: { ruleId: string; after: number; upTo: number; place: ChangePlace | null },
  size: number,
) {
  const page = await listPoolChangesBetween(db.read, { ruleId, from: after + 1, upTo, after: place }, size);
  return { changes: page.rows.map(publishedChange), moreChanges: page.next };
}

async function findTerms({ read }: Database, ruleId: string): Promise<RuleValues> {
  const [terms] = await read.select(valueColumns).from(rules).where(eq(rules.id, ruleId));
  return terms as RuleValues;
}

async function correctionsBetween(
  { read }: Database,
  { ruleId, from, upTo }: { ruleId: string; from: number; upTo: number },
): Promise<PublishedCorrection[]> {
  const { atMs, afterDraw, before, after } = ruleCorrections;
  const rows = await read
    .select({ atMs, afterDraw, before, after })
    .from(ruleCorrections)
    .where(and(eq(ruleCorrections.ruleId, ruleId), gte(afterDraw, from), lte(afterDraw, upTo)))
    .orderBy(asc(atMs));
  return rows.map((row) => ({
    at: timeText(row.atMs),
    afterDraw: row.afterDraw,
    before: row.before,
    after: row.after,
  }));
}

const drawsBetween = (
  db: Database,
  { ruleId, after, upTo }: { ruleId: string; after: number; upTo: number },
  limit: number,
) =>
  db.read
    .select({ draw: draws, stopped: stoppedFor })
    .from(draws)
    .innerJoin(rewards, eq(rewards.id, draws.rewardId))
    .where(and(eq(draws.ruleId, ruleId), gt(draws.number, after), lte(draws.number, upTo)))
    .orderBy(asc(draws.number))
    .limit(limit);

const published = ({ draw, stopped }: Awaited<ReturnType<typeof drawsBetween>>[number]): PublishedDraw => ({
  number: draw.number,
  twitchId: draw.twitchId,
  drawnAt: drawnAtText(draw),
  candidates: draw.candidates,
  rewardId: draw.rewardId,
  previous: draw.previousFingerprint,
  fingerprint: fingerprintOf(draw),
  stopped,
});

const publishedChange = (change: PoolChange): PublishedChange => ({
  at: timeText(change.atMs),
  lastAt: timeText(change.lastAtMs),
  times: change.times,
  cause: change.cause,
  afterDraw: change.afterDraw,
  appId: change.appId,
  marketHashName: change.kindName,
  added: change.added,
  weight:
    change.weightBefore === null || change.weight === null
      ? null
      : { before: change.weightBefore, after: change.weight },
});

const timeText = (ms: number): string => new Date(ms).toISOString();
