import { hour } from '#domain/kernel/time.ts';
import type { MyReward } from '#domain/view/list-my-rewards.ts';

export const demoChannel = {
  id: '7',
  login: 'demo_channel',
  displayName: 'Demo_Channel',
  pictureUrl: '',
  live: true,
};

/** A reward that is ready to claim, as a viewer's page receives it. */
export const demoReward: MyReward = {
  id: 'reward',
  state: 'promised',
  ruleId: 'rule',
  ruleName: 'Ten hours',
  claimTimeoutHours: 72,
  channel: demoChannel,
  item: {
    appId: 730,
    name: 'Demo case',
    marketHashName: 'Demo case',
    iconUrl: '',
    typeLine: '',
    typeTag: '',
    rarityTag: '',
    exterior: '',
  },
  promisedAtMs: 0,
  claimUntilMs: 72 * hour,
  claimShiftedMs: 0,
  sendsFromMs: null,
  outages: [],
  claimedAtMs: null,
  winSeenAtMs: null,
  settlesAtMs: null,
  recallReason: null,
  stopReason: null,
  unmetCondition: null,
  drawNumber: null,
  redemption: null,
  offer: null,
  claimFailure: null,
  pausedUntilMs: null,
  frozenAtMs: null,
};
