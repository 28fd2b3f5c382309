import type { ConditionKey, ConditionProgress } from '#domain/condition/conditions.ts';
import type { OpenRule } from '#domain/rule/list-open-rules.ts';
import type { Standing, ViewerProgress } from '#domain/view/list-standings.ts';
import type { ProgressRefusal } from '#domain/view/progress-of-viewer.ts';
import type { Presence } from '#domain/watch-time/read-presences.ts';
import { isolated } from '#platform/isolated.ts';

/** `7 h 12 min`, or `40 min`; rounded down. */
const duration = (seconds: number): string => {
  const minutes = Math.floor(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
};
const days = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`;

const streams = (count: number) => `${count} ${count === 1 ? 'stream' : 'streams'}`;

const number = new Intl.NumberFormat('en');
const points = (cost: number) => `${number.format(cost)} channel ${cost === 1 ? 'point' : 'points'}`;

const tierAtLeast = (tier: number) => (tier === 3 ? 'at tier 3' : `at tier ${tier} or higher`);

/** Words for each condition of a rule. */
const asks: Record<ConditionKey, (rule: OpenRule) => string | false> = {
  watch: ({ watchMinutes }) => watchMinutes !== null && `watch ${duration(watchMinutes * 60)}`,
  streams: ({ attendedStreams, ofLastStreams }) =>
    attendedStreams !== null &&
    `be there for ${streams(attendedStreams)}${ofLastStreams === null ? '' : ` of ${ofLastStreams} in a row`}`,
  follow: ({ followDays }) => followDays !== null && `follow for ${days(followDays)}`,
  subscriber: ({ subscriberTier: tier }) =>
    tier !== null && (tier === 1 ? 'subscribe' : `subscribe ${tierAtLeast(tier)}`),
  points: ({ pointsCost }) => pointsCost !== null && `redeem ${points(pointsCost)}`,
};

/** Words for a viewer's progress, by condition. */
const amounts: Record<ConditionKey, (progress: ConditionProgress) => string | null> = {
  watch: ({ watch }) =>
    watch && `${duration(Math.min(watch.haveSeconds, watch.needSeconds))} of ${duration(watch.needSeconds)}`,
  streams: ({ streams: asked }) =>
    asked && `${Math.min(asked.haveStreams, asked.needStreams)} of ${streams(asked.needStreams)}`,
  follow: ({ follow }) =>
    follow &&
    (follow.sinceMs === null
      ? `not following (${days(follow.needDays)} needed)`
      : `following ${Math.min(follow.haveDays, follow.needDays)} of ${days(follow.needDays)}`),
  subscriber: ({ subscriber }) =>
    subscriber &&
    (subscriber.met
      ? 'subscribed'
      : `not subscribed${subscriber.needTier === 1 ? '' : ` ${tierAtLeast(subscriber.needTier)}`}`),
  points: ({ points: asked }) => asked && (asked.met ? 'points redeemed' : `${points(asked.cost)} to redeem`),
};

const conditions = (rule: OpenRule): string =>
  Object.values(asks)
    .map((words) => words(rule))
    .filter(Boolean)
    .join(' and ');

const reached = ({ progress }: ViewerProgress): string =>
  Object.values(amounts)
    .map((words) => words(progress))
    .filter(Boolean)
    .join(', ');

const standing: Record<Standing, (rule: ViewerProgress) => string> = {
  inProgress: reached,
  outOfRewards: (rule) => `${reached(rule)}; no rewards left right now`,
  waiting: () => 'done! You are in line for the next free reward',
  readyToClaim: () => 'done! Your reward is ready to claim',
  awaitingConfirmation: () => 'your trade offer is being prepared or waits for you on Steam',
  claimed: () => 'claimed',
  timedOut: () => 'not claimed in time',
  recalled: () => 'the reward was recalled',
};

/** Words for the last look at the chat's list, and how long ago it was. */
export type PresenceLines = Record<Presence['is'], (facts: { minutes: number; url: string }) => string>;

const ago = (minutes: number) => (minutes === 0 ? 'just now' : `${minutes} min ago`);

/** Words for the same in a line for several viewers. */
const inChatWords: Record<Presence['is'], string> = {
  counted: 'yes',
  absent: 'not yet',
  uncounted: 'yes, but not counted',
  unknown: 'unknown',
};

/** A viewer's first rule, the number of others, and whether they are in the chat, if that matters. */
export interface PartOfProgress {
  name: string;
  rule: string;
  others: number;
  is: Presence['is'] | null;
}

type RefusalParts = Record<ProgressRefusal, (facts: { name: string }) => string>;

/** The bot's lines in chat. */
export const en = {
  rewards: {
    /** One rule in a list. */
    rule: (rule: OpenRule) => `“${isolated(rule.name)}”: ${conditions(rule)} (${rule.freeRewards} left)`,
    some: ({ list, url }: { list: string; url: string }) => `Rewards here: ${list}. ${url}`,
    more: (count: number) => `and ${count} more`,
    none: () => 'There are no rewards to earn on this channel right now.',
  },
  progress: {
    rule: (rule: ViewerProgress) => `“${isolated(rule.ruleName)}”: ${standing[rule.standing](rule)}`,
    some: ({ name, list }: { name: string; list: string }) => `@${name} ${list}`,
    more: (count: number) => `and ${count} more`,
    claim: (url: string) => `Claim: ${url}`,
    inChat: {
      counted: ({ minutes }) => `In chat: yes, checked ${ago(minutes)}.`,
      absent: ({ minutes }) =>
        `In chat: not yet, checked ${ago(minutes)}. Time counts while Twitch lists you in the chat.`,
      uncounted: ({ url }) => `In chat: yes, but your time does not count. Why: ${url}`,
      unknown: ({ minutes }) => `In chat: unknown, checked ${ago(minutes)}.`,
    } satisfies PresenceLines as PresenceLines,
    notLooked: 'In chat: unknown, not looked yet in this stream.',
    notLinked: ({ name, url }: { name: string; url: string }) =>
      `@${name} sign in with Twitch at ${url} to earn rewards. Your watch time already counts.`,
    notVerified: ({ name, url }: { name: string; url: string }) =>
      `@${name} verify your email at ${url} to earn rewards. Your watch time already counts.`,
    ownRules: ({ name }: { name: string; url: string }) => `@${name} these are your own rewards.`,
    noRules: ({ name }: { name: string; url: string }) =>
      `@${name} there are no rewards to earn on this channel right now.`,
  },
  claim: {
    ready: ({ name, count, url }: { name: string; count: number; url: string }) =>
      `@${name} ${count === 1 ? 'a reward is' : `${count} rewards are`} ready for you. Claim: ${url}`,
    nothing: ({ name, url }: { name: string; url: string }) =>
      `@${name} nothing is ready to claim here yet. Your progress: ${url}`,
  },
  watchTime: {
    watched: ({ name, seconds }: { name: string; seconds: number }) =>
      `@${name} you have watched ${duration(seconds)} on this channel. Time counts while Twitch lists you in the chat.`,
  },
  /** Lines that answer several viewers at once: a part for each, and an end for all. */
  together: {
    progress: ({ name, rule, others, is }: PartOfProgress) =>
      `@${name} ${rule}${others > 0 ? `, and ${others} more` : ''}${is === null ? '' : ` (in chat: ${inChatWords[is]})`}`,
    claim: ({ name, count }: { name: string; count: number }) =>
      `@${name} ${count === 0 ? 'nothing yet' : count === 1 ? '1 reward is ready' : `${count} rewards are ready`}`,
    watchTime: ({ name, seconds }: { name: string; seconds: number }) => `@${name} ${duration(seconds)}`,
    refusal: {
      notLinked: ({ name }) => `@${name} sign in with Twitch first`,
      notVerified: ({ name }) => `@${name} verify your email first`,
      ownRules: ({ name }) => `@${name} these are your own rewards`,
      noRules: ({ name }) => `@${name} no rewards here right now`,
    } satisfies RefusalParts as RefusalParts,
    more: ({ count }: { count: number }) => `and ${count} more`,
    tails: {
      progress: ({ url }: { url: string }) => ` · More: ${url}`,
      claim: ({ url }: { url: string }) => ` · Claim: ${url}`,
      watchTime: ({ url }: { url: string }) =>
        ` · Time counts while Twitch lists you in the chat. More: ${url}`,
    },
  },
  promised: {
    /** Names viewers who were just promised a reward of a rule; `others` counts those not named. */
    line: ({ names, others, rule, url }: { names: string; others: number; rule: string; url: string }) =>
      `${names}${others > 0 ? ` and ${others} more` : ''} earned a reward: “${isolated(rule)}”. Claim: ${url}`,
  },
  raffle: {
    started: ({ keyword, item, winners, minutes, url, commitment }: RaffleStart) =>
      `Raffle: ${isolated(item)}${winners > 1 ? ` × ${winners}` : ''}. Type !${isolated(keyword)} in this channel’s own chat within ${minutes} min, it is free. ${url} Seed: sha256 ${commitment}`,
    /** The whole running hash, so that whoever keeps it can check the list with it. */
    entered: ({ entries, hash, url }: { entries: number; hash: string; url: string }) =>
      `${entries} in the raffle so far, list ${hash}. ${url}`,
    sealed: ({
      entries,
      listHash,
      commitment,
      url,
    }: {
      entries: number;
      listHash: string;
      commitment: string;
      url: string;
    }) =>
      `The raffle is closed with ${entries} ${entries === 1 ? 'entry' : 'entries'}. List: ${listHash} Seed: sha256 ${commitment} The draw follows: ${url}`,
    drawn: ({ names, url }: { names: string; url: string }) => `${names} won the raffle. Claim: ${url}`,
    held: ({ names, hours, url }: { names: string; hours: number; url: string }) =>
      `${names} won the raffle: sign in with Twitch within ${hours} h to get it. ${url}`,
    nobody: () => 'Nobody entered the raffle. Nothing is given away.',
    elsewhere: ({ keyword }: { keyword: string }) =>
      `The raffle counts lines written in this channel’s own chat: type !${isolated(keyword)} here.`,
    notReady: () => 'The lists that the raffle asks for are still being read. Try again in a few minutes.',
    none: ({ url }: { url: string }) => `No raffle is prepared. ${url}`,
    runs: ({ keyword, url }: { keyword: string; url: string }) =>
      `A raffle runs: !${isolated(keyword)}. ${url}`,
    cancelled: () => 'The raffle is cancelled. Nothing is given away.',
    drawnAlready: ({ url }: { url: string }) => `The raffle was drawn already. ${url}`,
  },
};

interface RaffleStart {
  keyword: string;
  item: string;
  winners: number;
  minutes: number;
  url: string;
  /** SHA-256 of the seed. */
  commitment: string;
}

/** Every language provides all of these lines. */
export type ChatLines = typeof en;
