import type { Tx } from '#db/database.ts';
import { spentCaptchas } from '#db/schema/access.ts';

/** A captcha's solution that was found right: what to remember of it, and until when it could come again. */
export interface SolvedCaptcha {
  solutionHash: string;
  expiresAtMs: number;
}

/** Takes a solution in the transaction of the act that it admits. False when it was taken before. */
export async function consumeCaptcha(tx: Tx, solved: SolvedCaptcha): Promise<boolean> {
  const { solutionHash, expiresAtMs } = solved;
  const taken = await tx
    .insert(spentCaptchas)
    .values({ solutionHash, expiresAtMs })
    .onConflictDoNothing()
    .returning({ solutionHash: spentCaptchas.solutionHash });
  return taken.length === 1;
}
