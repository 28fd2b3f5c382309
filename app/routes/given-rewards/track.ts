import type { GivenReward } from '#domain/view/list-given-rewards.ts';

/** The four stages of a reward, as columns of the list. */
export const stations = ['promised', 'offerSent', 'delivered', 'final'] as const;
export type Station = (typeof stations)[number];

/** The status of a stage: reached, next, ahead, or never reached because the reward ended before. */
export type Stop =
  | { state: 'done'; ms: number }
  | { state: 'next'; text: 'by' | 'on' | 'preparing'; ms: number }
  | { state: 'todo' }
  | { state: 'ended'; text: 'notClaimed' | 'notAccepted' | 'reversed'; ms: number }
  | { state: 'ended'; text: 'recalled' | 'depositReversed' | 'stopped'; ms: null };

const todo: Stop = { state: 'todo' };

function nextStop(reward: GivenReward): Stop {
  const { status, sentAtMs, claimUntilMs, settlesAtMs, reversedAtMs } = reward;
  switch (status) {
    case 'promised':
    case 'offerSent':
      return { state: 'next', text: 'by', ms: claimUntilMs };
    case 'claimed':
      return { state: 'next', text: 'preparing', ms: claimUntilMs };
    case 'delivered':
      return settlesAtMs === null ? todo : { state: 'next', text: 'on', ms: settlesAtMs };
    case 'timedOut':
      return { state: 'ended', text: sentAtMs === null ? 'notClaimed' : 'notAccepted', ms: claimUntilMs };
    case 'reversed':
      if (reversedAtMs !== null) return { state: 'ended', text: 'reversed', ms: reversedAtMs };
      return { state: 'ended', text: 'recalled', ms: null };
    case 'depositReversed':
    case 'stopped':
    case 'recalled':
      return { state: 'ended', text: status, ms: null };
    case 'final':
      return todo;
  }
}

/** Returns a reward's progress, stage by stage. */
export function trackOf(reward: GivenReward): { station: Station; stop: Stop }[] {
  const reached: Record<Station, number | null> = {
    promised: reward.promisedAtMs,
    offerSent: reward.sentAtMs,
    delivered: reward.deliveredAtMs,
    final: reward.status === 'final' ? reward.settlesAtMs : null,
  };
  const next = stations.find((station) => reached[station] === null);
  return stations.map((station) => {
    const ms = reached[station];
    if (ms !== null) return { station, stop: { state: 'done', ms } };
    return { station, stop: station === next ? nextStop(reward) : todo };
  });
}
