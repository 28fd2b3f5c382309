import { createHmac } from 'node:crypto';
import { config } from '#app/config.server.ts';
import { newSecurityCode } from '#domain/kernel/id.ts';

/**
 * The security code of a reward's next offer. It is derived from the reward and its latest transfer, so that the
 * viewer sees it before the claim; the key prevents others from deriving it.
 */
export function claimCodeOf(rewardId: string, lastTransferId: string | null): string {
  const digest = createHmac('sha256', config().sessionSecret)
    .update(`claim:${rewardId}:${lastTransferId ?? 'first'}`)
    .digest();
  return newSecurityCode((size) => digest.subarray(0, size));
}
