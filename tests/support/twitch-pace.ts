import type { TwitchPace } from '#bot/twitch/pace/twitch-pace.ts';

/** Fast enough for a test; due times still follow the injected clock. */
export const hurriedTwitchPace: TwitchPace = {
  surveyMs: 40,
  reconcileMs: 300,
  streamLagMs: 180_000,
  missedStreamMs: 50,
  watchMs: 15,
  followMs: 40,
  audienceMs: 60_000,
  pointsMs: 30,
  redemptionsMs: 400,
  pausedRedemptionsMs: 400,
  restMs: 60_000,
  retryAfterMs: 50,
  conduitFrom: 50,
  // On a busy machine a quiet chat must not count as dead, because messages would be lost meanwhile.
  chat: { joinMs: 100, silenceMs: 20_000, checkMs: 60, retryMs: 30, maxChats: 100 },
};
