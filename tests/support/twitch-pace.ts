import type { TwitchPace } from '#bot/twitch/pace/twitch-pace.ts';

/** Fast enough for a test; what is due is decided by the injected clock all the same. */
export const hurriedTwitchPace: TwitchPace = {
  surveyMs: 40,
  reconcileMs: 300,
  watchMs: 15,
  followMs: 40,
  pointsMs: 30,
  redemptionsMs: 400,
  pausedRedemptionsMs: 400,
  restMs: 60_000,
  retryAfterMs: 50,
  conduitFrom: 50,
  // Quiet for long on a busy machine, a chat must not count as gone: what is said meanwhile would be lost.
  chat: { joinMs: 100, silenceMs: 20_000, checkMs: 60, retryMs: 30 },
};
