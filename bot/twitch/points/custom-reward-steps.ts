import type { BotDeps } from '#bot/deps.ts';
import {
  type ChannelPointsApi,
  creationRefusal,
  isMissing,
  type RewardText,
  refusedWords,
  type TwitchReward,
} from '#bot/twitch/points/channel-points-api.ts';
import { promptsFor, titlesFor } from '#bot/twitch/points/custom-reward-text.ts';
import type { RefusedWords } from '#bot/twitch/points/refused-words.ts';
import type { CustomRewardState } from '#db/schema/redemption.ts';
import { getChannelLocale } from '#domain/channel/get-channel-locale.ts';
import {
  listLinkedRewards,
  listWinnable,
  type RuleCustomReward,
} from '#domain/redemption/list-custom-rewards.ts';
import {
  beginCustomReward,
  confirmCustomReward,
  recordMissingCustomReward,
} from '#domain/redemption/record-custom-reward.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';

type CheckDeps = Pick<BotDeps, 'db' | 'clock' | 'log'> & { points: ChannelPointsApi };
export type StepDeps = CheckDeps & Pick<BotDeps, 'config'> & { refused: RefusedWords };

const MAX_NAMES = 3;

/**
 * Takes a custom reward one step closer to its desired state. A step is recorded only after Twitch confirmed it, so a
 * crash repeats a step but never skips one.
 */
export function stepCustomReward(deps: StepDeps, reward: RuleCustomReward): Promise<void> {
  const { twitchRewardId, desired } = reward;
  if (!twitchRewardId) return createReward(deps, reward);
  return desired === 'deleted'
    ? deleteReward(deps, reward, twitchRewardId)
    : updateReward(deps, reward, twitchRewardId, desired);
}

/** `doubted`: Twitch does not show it, but a second look has to confirm that it is gone. */
type Presence = 'exists' | 'doubted' | 'gone';

/**
 * Checks whether a custom reward that Twitch did not find has been deleted, which only the streamer can have
 * done, and records it. The list alone proves nothing: its redemptions are asked for by its id too, and both
 * again some minutes later.
 */
export async function recordIfMissing(
  { db, clock, log, points }: CheckDeps,
  { ruleId, channelId, twitchRewardId }: { ruleId: string; channelId: string; twitchRewardId: string },
): Promise<Presence> {
  if ((await points.list(channelId)).some(({ id }) => id === twitchRewardId)) return 'exists';
  if (await points.hasRedemptions(channelId, twitchRewardId)) return 'exists';
  const ended = await recordMissingCustomReward(db, { ruleId, channelId, twitchRewardId }, clock.now());
  if (ended === null) return 'doubted';
  log.warn(
    { ruleId, channelId, ended },
    'a custom reward was deleted on Twitch; its open redemptions count as fulfilled',
  );
  return 'gone';
}

const confirm = (
  { db, clock }: StepDeps,
  ruleId: string,
  confirmed: { state: CustomRewardState; twitchRewardId?: string },
) => confirmCustomReward(db, { ruleId, ...confirmed }, clock.now());

async function createReward(deps: StepDeps, reward: RuleCustomReward): Promise<void> {
  const { ruleId, channelId, desired } = reward;
  const isFirst = await beginCustomReward(deps.db, { ruleId, channelId });
  const lost = isFirst ? null : await findLost(deps, reward);
  if (!lost && desired === 'deleted') return confirm(deps, ruleId, { state: 'deleted' });
  const { id: twitchRewardId, state } = lost ?? (await create(deps, reward));
  deps.log.info({ ruleId, channelId, twitchRewardId }, 'custom reward created on Twitch');
  await confirm(deps, ruleId, { twitchRewardId, state });
}

async function create(deps: StepDeps, reward: RuleCustomReward): Promise<TwitchReward> {
  const { points, refused } = deps;
  const { channelId } = reward;
  const [title, otherTitle, plainTitle] = titlesFor(reward);
  return inOtherWords(deps, reward, [title, plainTitle], async (text) => {
    const named = { ...text, title: refused.pick([title, plainTitle]) };
    try {
      return await points.createHidden(channelId, named);
    } catch (error) {
      if (creationRefusal(error) !== 'titleTaken') throw error;
      // The title may belong to a custom reward from an earlier call whose answer was lost.
      const lost = await findLost(deps, reward);
      return lost ?? (await points.createHidden(channelId, { ...text, title: otherTitle }));
    }
  });
}

/** Sends a custom reward's words, and others each time AutoMod refuses them, as long as there are any. */
async function inOtherWords<T>(
  deps: StepDeps,
  reward: RuleCustomReward,
  titles: readonly [string, ...string[]],
  send: (text: Omit<RewardText, 'title'>) => Promise<T>,
): Promise<T> {
  const { refused } = deps;
  for (;;) {
    const text = await textOf(deps, reward);
    const candidates = { title: titles, prompt: await wordsOf(deps, reward) };
    const sent = { title: refused.pick(titles), prompt: text.prompt };
    try {
      return await send(text);
    } catch (error) {
      const kind = refusedWords(error);
      if (!kind) throw error;
      refused.add(sent[kind]);
      deps.log.warn({ ruleId: reward.ruleId, refused: kind }, 'AutoMod refuses the words of a custom reward');
      if (!refused.anyLeft(candidates[kind])) throw error;
    }
  }
}

/**
 * Finds a custom reward with one of this rule's titles that belongs to no other rule: it was created by a
 * call whose answer was lost.
 */
async function findLost({ db, points }: StepDeps, reward: RuleCustomReward): Promise<TwitchReward | null> {
  const titles: readonly string[] = titlesFor(reward);
  const listed = (await points.list(reward.channelId)).filter(({ title }) => titles.includes(title));
  const linked = await listLinkedRewards(
    db.read,
    listed.map(({ id }) => id),
  );
  return listed.find(({ id }) => (linked.get(id) ?? reward.ruleId) === reward.ruleId) ?? null;
}

async function updateReward(
  deps: StepDeps,
  reward: RuleCustomReward,
  twitchRewardId: string,
  state: CustomRewardState,
): Promise<void> {
  const flags = { isEnabled: state !== 'disabled', isPaused: state === 'paused' };
  const update = (text: Partial<RewardText>) =>
    deps.points.update(reward.channelId, twitchRewardId, { ...text, ...flags });
  const confirmed = await (state === 'disabled'
    ? update({})
    : inOtherWords(deps, reward, [titlesFor(reward)[0]], update));
  await confirm(deps, reward.ruleId, { state: confirmed.state });
}

/** Hides it first and then reads its queue: a redemption from the last moment would otherwise count as fulfilled. */
async function deleteReward(deps: StepDeps, reward: RuleCustomReward, twitchRewardId: string): Promise<void> {
  const { db, clock, log, points } = deps;
  const { ruleId, channelId, state } = reward;
  if (state !== 'disabled') return updateReward(deps, reward, twitchRewardId, 'disabled');
  const waiting = await points.listUnfulfilled(channelId, twitchRewardId);
  for (const redemption of waiting) await recordRedemption(db, redemption, clock.now());
  if (waiting.length > 0) return;
  await points.remove(channelId, twitchRewardId).catch((error) => {
    if (!isMissing(error)) throw error;
  });
  log.info({ ruleId, channelId, twitchRewardId }, 'custom reward deleted from Twitch');
  await confirm(deps, ruleId, { state: 'deleted' });
}

/**
 * Returns whether a custom reward's text or cost differs from what it should be: somebody changed it, or
 * other items can be won by now. Hidden ones do not matter.
 */
export async function isOutdated(
  deps: StepDeps,
  reward: RuleCustomReward,
  shown: TwitchReward,
): Promise<boolean> {
  if (reward.desired === 'disabled' || reward.desired === 'deleted') return false;
  const { cost, prompt } = await textOf(deps, reward);
  return shown.cost !== cost || shown.skipsQueue || shown.prompt !== prompt;
}

const wordsOf = async (
  { db, config }: StepDeps,
  { channelId, ruleId, asksMore }: RuleCustomReward,
): Promise<[string, ...string[]]> =>
  promptsFor({
    locale: await getChannelLocale(db.read, channelId),
    winnable: await listWinnable(db.read, ruleId, MAX_NAMES),
    host: config.publicUrl.host,
    asksMore,
  });

const textOf = async (deps: StepDeps, reward: RuleCustomReward): Promise<Omit<RewardText, 'title'>> => ({
  cost: reward.cost,
  prompt: deps.refused.pick(await wordsOf(deps, reward)),
});
