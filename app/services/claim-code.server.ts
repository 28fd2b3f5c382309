import { createHmac } from 'node:crypto';
import { config } from '#app/config.server.ts';
import { newSecurityCode } from '#domain/id.ts';

/**
 * The security code of a reward's next offer. It follows from the reward and its latest transfer, so that the viewer can
 * be shown it before the claim; the key keeps others from working it out.
 */
export function claimCodeOf(rewardId: string, lastTransferId: string | null): string {
  const digest = createHmac('sha256', config().sessionSecret)
    .update(`claim:${rewardId}:${lastTransferId ?? 'first'}`)
    .digest();
  return newSecurityCode((size) => digest.subarray(0, size));
}
