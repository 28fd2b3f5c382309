import type { Journey, Transfer } from './read-journey.ts';

/** The way of the first item, in order. */
export const stepNames = [
  'bot',
  'deposit',
  'lock',
  'rule',
  'watching',
  'claim',
  'delivery',
  'protection',
] as const;
export type StepName = (typeof stepNames)[number];

/** The operator's next act, its place, and the end of the wait. */
export interface Guidance {
  todo: string;
  where: string;
  waitsFor: string;
  /** Domain time; null if nothing ends the wait by itself. */
  untilMs: number | null;
}

export interface Step {
  name: StepName;
  isDone: boolean;
  /** Null if it is done. */
  guidance: Guidance | null;
}

interface Around {
  publicUrl: URL;
  nowMs: number;
}

const offerUrl = (offerId: string): string => `https://steamcommunity.com/tradeoffer/${offerId}/`;

/** Returns each step, with what is to be done for those that are not done. */
export function stepsOf(journey: Journey, around: Around): Step[] {
  return stepNames.map((name) => {
    const guidance = guides[name](journey, around);
    return { name, isDone: guidance === null, guidance };
  });
}

const guides: Record<StepName, (journey: Journey, around: Around) => Guidance | null> = {
  bot: ({ bot }) =>
    bot?.isReady
      ? null
      : {
          todo: 'Start Keepsake with a trade bot in STEAM_BOTS_FILE. `keepsake doctor` says what is missing.',
          where: 'docs/steam-bot-account.md',
          waitsFor: `a trade bot that is logged on to Steam${bot?.fault ? ` (now: ${bot.fault})` : ''}`,
          untilMs: null,
        },
  deposit: guideDeposit,
  lock: guideLock,
  rule: ({ reward }, { publicUrl }) =>
    reward && reward.state !== 'recalled'
      ? null
      : {
          todo: 'As the streamer, open a rule that asks for ten minutes of watch time, and add the item to it.',
          where: new URL('/rules/new', publicUrl).href,
          waitsFor: reward
            ? `a rule with the item. The last reward was recalled (${reward.recallReason ?? 'unknown'})`
            : 'a rule with the item',
          untilMs: null,
        },
  watching: ({ reward, channel }, { publicUrl }) =>
    reward && reward.state !== 'free' && reward.state !== 'recalled'
      ? null
      : {
          todo: 'Go live, and stay in the chat with a second Twitch account until it meets the rule. It may sign in later.',
          where: channel
            ? `https://www.twitch.tv/${channel.login} (now ${channel.isLive ? 'live' : 'offline'})`
            : new URL('/rules', publicUrl).href,
          waitsFor: 'watch time of the second account, which is counted once a minute',
          untilMs: null,
        },
  claim: ({ reward, claim }, { publicUrl }) =>
    claim && ['reserved', 'claimed'].includes(reward?.state ?? '')
      ? null
      : {
          todo: 'As the viewer, sign in with the second Twitch account, connect another Steam account with its trade link, and claim the reward.',
          where: new URL('/rewardProgress', publicUrl).href,
          waitsFor: claim ? `the claim. The last one ended: ${claim.state}` : 'the claim',
          untilMs: reward?.claimUntilMs ?? null,
        },
  delivery: ({ claim }, { publicUrl }) =>
    claim && ['accepted', 'settled', 'reversed'].includes(claim.state)
      ? null
      : guideOffer(claim, 'As the viewer, accept the offer on Steam.', publicUrl),
  protection: ({ claim }) =>
    claim?.state === 'settled' || claim?.state === 'reversed'
      ? null
      : {
          todo: 'Nothing. Leave Keepsake running.',
          where: 'the trade history of the bot on Steam',
          waitsFor: 'the end of Trade Protection; until then the viewer could reverse the trade',
          untilMs: claim?.settlesAtMs ?? null,
        },
};

function guideDeposit({ deposit }: Journey, { publicUrl }: Around): Guidance | null {
  if (deposit && ['accepted', 'settled'].includes(deposit.state)) return null;
  const isOver =
    deposit && ['declined', 'expired', 'cancelled', 'failed', 'reversed'].includes(deposit.state);
  if (deposit && !isOver)
    return guideOffer(deposit, 'As the streamer, accept the offer on Steam.', publicUrl);
  return {
    todo: 'Sign in as the streamer, connect Twitch and Steam, and deposit one cheap item of Counter-Strike 2, whose trades Steam protects.',
    where: new URL('/items/deposit', publicUrl).href,
    waitsFor: deposit
      ? `a deposit of one item. The last one ended: ${deposit.state}`
      : 'a deposit of one item',
    untilMs: null,
  };
}

function guideOffer(transfer: Transfer | null, todo: string, publicUrl: URL): Guidance {
  const isOnSteam = transfer?.offerId && ['sent', 'escrowed'].includes(transfer.state);
  if (transfer?.offerId && isOnSteam)
    return {
      todo: transfer.state === 'escrowed' ? 'Nothing. Steam holds the trade.' : todo,
      where: offerUrl(transfer.offerId),
      waitsFor: transfer.state === 'escrowed' ? 'the end of the trade hold' : 'an answer to the offer',
      untilMs: transfer.state === 'escrowed' ? null : (transfer.cancelAtMs ?? transfer.expiresAtMs),
    };
  return {
    todo: 'Nothing. The bot sends the offer.',
    where: new URL('/transfers', publicUrl).href,
    waitsFor: `the bot's offer${transfer ? ` (now ${transfer.state}${transfer.lastError ? `, ${transfer.lastError}` : ''})` : ''}`,
    untilMs: null,
  };
}

function guideLock({ deposit, item }: Journey, { publicUrl, nowMs }: Around): Guidance | null {
  if (item && item.lockedUntilMs <= nowMs && deposit?.state === 'settled') return null;
  return {
    todo: 'Nothing. Leave Keepsake running; the item can be neither given nor returned yet.',
    where: new URL('/items/custody', publicUrl).href,
    waitsFor: 'the end of Trade Protection; until then the streamer could reverse the deposit',
    untilMs: item?.lockedUntilMs ?? deposit?.settlesAtMs ?? null,
  };
}
