import { day, hour } from '#domain/kernel/time.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { isOpen, statusOf, whenShown } from '#tests/bot/twitch/points-stage.ts';
import { goLive, pass, until } from '#tests/bot/twitch/stage.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { redemptionsOf } from '#tests/support/redemptions.ts';
import { openRule, type Somebody, setWorld, type World } from './world.ts';

/** In the order in which viewers see them. */
export type Condition = 'watch' | 'follow' | 'subscriber' | 'points';
/** Conditions that can be met at the promise and not at the claim. */
export type Revocable = Exclude<Condition, 'watch'>;

const draftOf: Record<Condition, Partial<RuleDraft>> = {
  watch: { watchMinutes: 4 },
  follow: { followDays: 7 },
  subscriber: { subscriberTier: 2 },
  points: { pointsCost: 500 },
};
export const CLAIM_TIMEOUT_MS = 48 * hour;

/** The draft of a rule with these conditions. */
export const asking = (conditions: readonly Condition[]): Partial<RuleDraft> =>
  Object.assign({ watchMinutes: null, claimTimeoutHours: 48 }, ...conditions.map((each) => draftOf[each]));

/** The rule's type, and whether the operator allows paid draws. */
export interface RuleKind {
  type?: RuleDraft['type'];
  paidDrawsAllowed?: boolean;
}

export interface Play {
  world: World;
  conditions: readonly Condition[];
  channelId: string;
  ruleId: string;
  openedAtMs: number;
  /** Meets every condition. */
  loyal: Somebody;
  /** Meets every condition but this one. */
  without: ReadonlyMap<Condition, Somebody>;
  /** Meets every condition, but this one not after the promise. */
  losing: ReadonlyMap<Revocable, Somebody>;
  /** Each viewer's latest redemption, by Twitch id. */
  redeemed: Map<string, string>;
}

/** Opens a rule with these conditions, and lets its viewers do on Twitch exactly what they should. */
export async function openPlay(conditions: readonly Condition[], kind: RuleKind): Promise<Play> {
  const world = await setWorld();
  const streamer = await world.addSomebody({ streams: true });
  const channelId = streamer.twitchId;
  const loyal = await world.addSomebody();
  const without = new Map<Condition, Somebody>();
  const losing = new Map<Revocable, Somebody>();
  for (const condition of conditions) {
    without.set(condition, await world.addSomebody());
    if (condition !== 'watch') losing.set(condition, await world.addSomebody());
  }
  const everybody = [loyal, ...without.values(), ...losing.values()];
  if (conditions.includes('follow'))
    for (const viewer of everybody) {
      const forMs = viewer === without.get('follow') ? 7 * day - hour : 40 * day;
      // The items are locked for eight days before the rule is opened.
      world.twitch.follow(channelId, viewer.twitchId, world.clock.now() + 8 * day - forMs);
    }
  const ruleId = await openRule(world, streamer, {
    ...asking(conditions),
    ...kind,
    rewards: everybody.length,
  });
  const openedAtMs = world.clock.now();
  const play = {
    world,
    conditions,
    channelId,
    ruleId,
    openedAtMs,
    loyal,
    without,
    losing,
    redeemed: new Map(),
  };
  await goLive(world, channelId);
  await watchTogether(play, everybody);
  if (conditions.includes('subscriber'))
    for (const viewer of everybody) {
      const tier = viewer === without.get('subscriber') ? '1000' : '2000';
      world.twitch.subscribe(channelId, viewer.twitchId, tier, viewer === loyal);
    }
  if (conditions.includes('points'))
    for (const viewer of everybody) if (viewer !== without.get('points')) await redeem(play, viewer);
  return play;
}

/** Four minutes, of which one viewer misses the first two. Viewers watch even if no condition requires it. */
async function watchTogether(play: Play, everybody: readonly Somebody[]): Promise<void> {
  const { world, channelId, without } = play;
  const late = without.get('watch');
  const idsOf = (people: readonly Somebody[]) => people.map(({ twitchId }) => twitchId);
  world.twitch.joinChat(channelId, idsOf(everybody.filter((viewer) => viewer !== late)));
  await watchTwoMinutes(play);
  world.twitch.joinChat(channelId, idsOf(everybody));
  await watchTwoMinutes(play);
}

export async function watchTwoMinutes({ world, channelId }: Play): Promise<void> {
  for (let passed = 0; passed < 2; passed++) await pass(world, channelId);
}

/** Redeems the custom reward as soon as it is available. */
export async function redeem({ world, channelId, redeemed }: Play, { twitchId }: Somebody): Promise<void> {
  const { id } = await whenShown(world, channelId, isOpen);
  const outcome = world.twitch.redeem(channelId, twitchId, id);
  if (!outcome.ok) throw new Error(`Twitch refused the redemption: ${outcome.code}`);
  redeemed.set(twitchId, outcome.redemption.id);
}

/** All of the viewer's rewards from the rule. */
export const promisedTo = async ({ world, ruleId }: Play, { twitchId }: Somebody) =>
  (await rewardsOf(world.db, ruleId)).filter((reward) => reward.twitchId === twitchId);

/** Waits until the viewer's only reward is in this state. */
export async function whenRewardIs(play: Play, viewer: Somebody, state: string) {
  const all = await until(
    () => promisedTo(play, viewer),
    (found) => found.length > 0 && found.every((reward) => reward.state === state),
  );
  const [reward, ...others] = all;
  if (!reward || others.length > 0) throw new Error(`${all.length} promises to one viewer`);
  return reward;
}

/** The latest redemption's status on Twitch and here, and the viewer's remaining points. */
export const pointsOf = async (play: Play, { twitchId }: Somebody) => {
  const { world, channelId, ruleId, redeemed } = play;
  const id = redeemed.get(twitchId) ?? '';
  const notes = await redemptionsOf(world.db, ruleId);
  return {
    status: statusOf(world, channelId, id) ?? null,
    note: notes.find((note) => note.id === id) ?? null,
    balance: world.twitch.channelPoints.balanceOf(channelId, twitchId),
  };
};

export const whenPointsAre = (play: Play, viewer: Somebody, state: string) =>
  until(
    () => pointsOf(play, viewer),
    ({ note }) => note?.state === state,
  );
