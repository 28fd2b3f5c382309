import { type NextDue, soonest } from '#bot/worker.ts';
import { checkClaim } from '#domain/claim/check-claim.ts';
import { type ClaimToCheck, listClaimsToCheck } from '#domain/claim/list-claims-to-check.ts';
import { minute } from '#domain/kernel/time.ts';
import { nextQueuedMs } from '#domain/transfer/next-transfer-due.ts';
import { steadyMs } from '#platform/steady-time.ts';
import type { TransferWork } from './transfer-work.ts';

/** A verdict is valid for this long; a claim still waiting after that is checked again. Steady time. */
const GOOD_FOR_MS = minute;
const MAX_AT_ONCE = 10;

export interface ClaimChecker {
  /** Claims whose conditions were confirmed a moment ago. */
  checked(): string[];
  round(signal: AbortSignal): Promise<NextDue>;
}

/**
 * Rechecks the conditions of one bot's queued claims in a separate loop, so that a slow Twitch does not hold up
 * deposits, returns or claims without Twitch conditions.
 */
export function checkClaims(work: TransferWork): ClaimChecker {
  const verdicts = new Map<string, { met: boolean; untilMs: number }>();

  const check = async (claim: ClaimToCheck) => {
    const { db, clock, log } = work.deps;
    const { transferId } = claim;
    const askedAtMs = clock.now();
    const reading = await work.readStanding(claim);
    const verdict = await checkClaim(db, { transferId, reading, askedAtMs }, clock.now());
    verdicts.set(transferId, { met: verdict === 'met', untilMs: steadyMs() + GOOD_FOR_MS });
    if (verdict === 'unmet')
      log.info({ transfer: transferId }, 'claim withdrawn: a condition is no longer met');
    if (verdict === 'unknown') log.warn({ transfer: transferId }, 'claim waits until Twitch answers');
    if (verdict === 'givenUp')
      log.warn({ transfer: transferId }, 'claim withdrawn: Twitch did not answer in time');
  };

  return {
    checked: () =>
      [...verdicts].flatMap(([id, { met, untilMs }]) => (met && untilMs > steadyMs() ? [id] : [])),
    async round(signal) {
      if (!work.account()) return null;
      const { db, clock } = work.deps;
      for (const [id, { untilMs }] of verdicts) if (untilMs <= steadyMs()) verdicts.delete(id);
      // The time is read before the checks, so that claims which become due during them are due.
      const nowMs = clock.now();
      const waiting = await listClaimsToCheck(db.read, { botId: work.botId }, nowMs);
      const due = waiting.filter(({ transferId }) => !verdicts.has(transferId));
      for (let from = 0; from < due.length && !signal.aborted; from += MAX_AT_ONCE) {
        await Promise.all(due.slice(from, from + MAX_AT_ONCE).map(check));
        work.nudge();
      }
      const goodForMs = waiting.map(
        ({ transferId }) => (verdicts.get(transferId)?.untilMs ?? 0) - steadyMs(),
      );
      return soonest(...goodForMs, await nextQueuedMs(db.read, { botId: work.botId }, nowMs));
    },
  };
}
