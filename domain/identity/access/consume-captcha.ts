import type { Tx } from '#db/database.ts';
import { spentCaptchas } from '#db/schema/access.ts';

/** A correct captcha solution: its hash, and when it expires. */
export interface SolvedCaptcha {
  solutionHash: string;
  expiresAtMs: number;
}

/** Consumes a solution in the transaction of the action it permits. Returns false if it was already used. */
export async function consumeCaptcha(tx: Tx, solved: SolvedCaptcha): Promise<boolean> {
  const { solutionHash, expiresAtMs } = solved;
  const taken = await tx
    .insert(spentCaptchas)
    .values({ solutionHash, expiresAtMs })
    .onConflictDoNothing()
    .returning({ solutionHash: spentCaptchas.solutionHash });
  return taken.length === 1;
}
