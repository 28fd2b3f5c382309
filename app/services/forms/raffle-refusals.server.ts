import type { CancelRefusal } from '#domain/raffle/cancel-raffle.ts';
import type { RaffleRefusal } from '#domain/raffle/prepare-raffle.ts';
import type { StartRefusal } from '#domain/raffle/start-raffle.ts';
import type { RefusalText } from './refusals.server.ts';
import { ruleRefusals } from './trading-refusals.server.ts';

const { accountFrozen, twitchNotLinked, notAdmitted, channelMissing, pointsPermissionMissing } = ruleRefusals;

/** Obstacles on the streamer's own channel, as for a rule. */
const obstacles = {
  ...{ accountFrozen, twitchNotLinked, notAdmitted, channelMissing, pointsPermissionMissing },
  broadcasterMissing: twitchNotLinked,
  broadcasterRestricted: ruleRefusals.twitchRestricted,
  permissionsMissing: ruleRefusals.twitchPermissionsMissing,
};

export const raffleRefusals: Record<RaffleRefusal, RefusalText> = {
  ...obstacles,
  keywordUnfit: { status: 422, key: 'raffle.refused.keyword' },
  keywordTaken: { status: 409, key: 'raffle.refused.keyword' },
  raffleLive: { status: 409, key: 'raffle.refused.live' },
  paidDraw: { status: 409, key: 'raffle.refused.paid' },
  steamNotLinked: ruleRefusals.steamNotLinked,
  notCounted: { status: 409, key: 'raffle.refused.counted' },
  requestUsed: ruleRefusals.requestUsed,
  lastStreamsTooFew: ruleRefusals.lastStreamsTooFew,
  rewardLimit: ruleRefusals.rewardLimit,
  steamChangedRecently: ruleRefusals.steamChangedRecently,
  notEnough: ruleRefusals.notEnough,
};

const late: RefusalText = { status: 409, key: 'raffle.refused.late' };

/** Refusals of what is done with a raffle that is prepared. */
export const actRefusals: Record<StartRefusal | CancelRefusal | 'notRunning', RefusalText> = {
  ...obstacles,
  notFound: { status: 404, key: 'errors.page.notFound' },
  notPrepared: late,
  notRunning: late,
  listClosed: late,
  listUnread: { status: 409, key: 'raffle.refused.unread' },
};
