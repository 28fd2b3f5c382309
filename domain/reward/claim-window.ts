/**
 * Whether a promise can be claimed no longer. `outageMs` is how long no bot has been alive: meanwhile nothing times out,
 * because the first heartbeat extends the window.
 */
export const hasTimedOut = (claimUntilMs: number, nowMs: number, outageMs: number): boolean =>
  nowMs >= claimUntilMs && outageMs === 0;
