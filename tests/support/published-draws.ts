import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { Database } from '#db/database.ts';
import { hour } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import { exportProof, type ProofPage } from '#domain/view/export-proof.ts';
import { getRuleProof } from '#domain/view/get-proof.ts';
import { addBot, addPerson, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { addRandomRule } from '#tests/support/random-rule.ts';
import { watchFor } from '#tests/support/watching.ts';

/** A page as in a file, with the next one's URL. */
export type PublishedPage = Omit<ProofPage, 'next'> & { next: string | null };
export type PublishedDraw = PublishedPage['draws'][number];

/** Enough draws with weights so even that a wrong draw cannot match by chance. */
export const DRAWS = 24;
const pool = { 'Demo case': DRAWS, 'Demo gloves': DRAWS, 'Demo knife': DRAWS, 'demo mug': DRAWS };
const weightOf: Record<string, number> = { 'Demo case': 4, 'Demo gloves': 3, 'Demo knife': 2 };

export const script = new URL('../../docs/verify-draws.mjs', import.meta.url).pathname;

/** A random rule with all draws made, and a function that closes it. */
export async function drawTwoDozen(db: Database) {
  await addBot(db);
  const streamer = await addStreamer(db);
  const ruleId = await addRandomRule(db, streamer, pool);
  const weights = Object.entries(weightOf).map(([marketHashName, weight]) => ({
    appId: 730,
    marketHashName,
    weight,
  }));
  await setKindWeights(db, { ruleId, userId: streamer.userId, weights }, START_MS);
  const viewers = await Promise.all(Array.from({ length: DRAWS }, () => addPerson(db)));
  await watchFor(
    db,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const close = () => closeRule(db, { ruleId, userId: streamer.userId }, START_MS + hour);
  return { ruleId, close };
}

/** All pages of a rule's published draws, as read from files. */
export async function publishedOf(
  db: Database,
  ruleId: string,
  bounds?: { draws: number; candidates: number; changes?: number },
): Promise<PublishedPage[]> {
  const proof = await getRuleProof(db, ruleId);
  if (!proof) throw new Error('the rule draws nothing');
  const pages: PublishedPage[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: ProofPage = await exportProof(db, { proof, after }, bounds);
    after = page.next;
    const next = after === null ? null : `/proof/${ruleId}.json?after=${after}`;
    pages.push(JSON.parse(JSON.stringify({ ...page, next })) as PublishedPage);
  }
  return pages;
}

export const fingerprintOf = (ruleId: string, draw: PublishedDraw): string => {
  const { previous, number, drawnAt, twitchId, candidates, rewardId } = draw;
  const list = candidates.map((each) => [each.appId, each.marketHashName, each.rewardId, each.weight]);
  const reported = [previous, ruleId, number, drawnAt, twitchId, list, rewardId];
  return createHash('sha256').update(JSON.stringify(reported)).digest('hex');
};

/** Recomputes all fingerprints, as a skilled forger would. */
export function chainAnew(pages: readonly PublishedPage[]): void {
  let last: PublishedDraw | undefined;
  for (const { draws, rule, commitment } of pages)
    for (const draw of draws) {
      draw.previous = last?.fingerprint ?? commitment;
      draw.fingerprint = fingerprintOf(rule.id, draw);
      last = draw;
    }
  for (const page of pages) page.head = last ? { number: last.number, fingerprint: last.fingerprint } : null;
}

/** Runs the script with these arguments, in a thread, which starts faster than a process. */
export async function runVerifier(...given: string[]): Promise<{ status: number; said: string }> {
  const worker = new Worker(script, { argv: given, execArgv: [], stdout: true, stderr: true });
  const ended = new Promise<number>((resolve, reject) => {
    worker.once('exit', resolve);
    worker.once('error', reject);
  });
  const [out, err, status] = await Promise.all([text(worker.stdout), text(worker.stderr), ended]);
  return { status, said: `${out}${err}` };
}

/** Runs it on pages, each as a file, in this order. */
export async function verifyPages(pages: readonly unknown[], ...saved: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-proof-'));
  const files = pages.map((page, place) => {
    const file = join(folder, `draws-${place + 1}.json`);
    writeFileSync(file, typeof page === 'string' ? page : JSON.stringify(page));
    return file;
  });
  try {
    return await runVerifier(...files, ...saved);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
