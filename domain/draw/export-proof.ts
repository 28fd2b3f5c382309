import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type Candidate, draws } from '#db/schema/draw.ts';
import { fingerprintOf } from '#domain/draw/fingerprint.ts';
import { getRuleProof } from '#domain/draw/get-proof.ts';

/** All that is published of a rule's draws, as the stand-alone verifier reads it. */
export interface PublishedProof {
  format: 'keepsake-draws/1';
  rule: { id: string; name: string; channel: string; createdAt: string; closedAt: string | null };
  commitment: string;
  seed: string | null;
  draws: {
    number: number;
    twitchId: string;
    drawnAt: string;
    candidates: Candidate[];
    rewardId: string;
    fingerprint: string;
  }[];
}

/** The proof of a rule that draws as one document, or null. The seed is in it once the rule is closed. */
export async function exportProof(database: Database, ruleId: string): Promise<PublishedProof | null> {
  const proof = await getRuleProof(database, ruleId);
  if (!proof) return null;
  const rows = await database.read
    .select()
    .from(draws)
    .where(eq(draws.ruleId, ruleId))
    .orderBy(asc(draws.number));
  return {
    format: 'keepsake-draws/1',
    rule: {
      id: ruleId,
      name: proof.ruleName,
      channel: proof.channelName,
      createdAt: timeText(proof.createdAtMs),
      closedAt: proof.closedAtMs === null ? null : timeText(proof.closedAtMs),
    },
    commitment: proof.commitment,
    seed: proof.seed,
    draws: rows.map((draw) => ({
      number: draw.number,
      twitchId: draw.twitchId,
      drawnAt: timeText(draw.drawnAtMs),
      candidates: draw.candidates,
      rewardId: draw.rewardId,
      fingerprint: fingerprintOf(draw),
    })),
  };
}

const timeText = (ms: number): string => new Date(ms).toISOString();
