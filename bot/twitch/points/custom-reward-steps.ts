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
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import type { Reader } from '#db/database.ts';
import type { CustomRewardState } from '#db/schema/redemption.ts';
import { isAbsent } from '#domain/channel/absence.ts';
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
import { listFormerNames } from '#domain/rule/list-corrections.ts';
import { steadyMs } from '#platform/steady-time.ts';

type CheckDeps = Pick<BotDeps, 'db' | 'clock' | 'log'> & { points: ChannelPointsApi };
export type StepDeps = CheckDeps &
  Pick<BotDeps, 'config'> & {
    refused: RefusedWords;
    /** Times since which a rule's custom reward may exist and is not listed. Steady time. */
    untraced: Map<string, number>;
  };

const MAX_NAMES = 3;

/**
 * Takes a custom reward one step closer to its desired state. A step is recorded only after Twitch confirmed it, so a
 * crash repeats a step but never skips one.
 */
export async function stepCustomReward(
  deps: StepDeps,
  reward: RuleCustomReward,
  shown: TwitchReward | null,
): Promise<void> {
  const { twitchRewardId, desired } = reward;
  if (!twitchRewardId) return createReward(deps, reward);
  if (desired === 'deleted') return deleteReward(deps, reward, twitchRewardId);
  const isRenamed = shown !== null && (await hasFormerName(deps, reward, shown));
  return updateReward(deps, reward, twitchRewardId, { state: desired, isRenamed });
}

/** Returns whether a custom reward still has the name of its rule before a correction; a streamer's own title stays. */
const hasFormerName = async (
  { db }: StepDeps,
  reward: RuleCustomReward,
  { title }: TwitchReward,
): Promise<boolean> =>
  !titlesFor(reward).includes(title) && (await formerTitlesOf(db.read, reward)).includes(title);

const formerTitlesOf = async (q: Reader, { ruleId }: RuleCustomReward): Promise<string[]> =>
  (await listFormerNames(q, ruleId)).flatMap((ruleName) => titlesFor({ ruleId, ruleName }));

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
  if (!lost && desired === 'deleted') {
    if (!isFirst) requireSecondLook(deps, ruleId);
    return confirm(deps, ruleId, { state: 'deleted' });
  }
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
      if (lost) return lost;
      await requireTaken(deps, reward, named.title);
      return points.createHidden(channelId, { ...text, title: otherTitle });
    }
  });
}

/**
 * Throws unless somebody else's custom reward has the title. Twitch's lists may come empty while it calls the
 * title taken: then it can be our own lost one, and another would be its double.
 */
async function requireTaken(
  deps: StepDeps,
  { ruleId, channelId }: RuleCustomReward,
  title: string,
): Promise<void> {
  if (!(await deps.points.titles(channelId)).includes(title)) requireSecondLook(deps, ruleId);
}

/** Throws unless a look some minutes ago did not show a rule's lost custom reward either. */
function requireSecondLook({ untraced }: StepDeps, ruleId: string): void {
  const missedAtMs = untraced.get(ruleId) ?? null;
  if (isAbsent(missedAtMs, steadyMs())) return;
  untraced.set(ruleId, missedAtMs ?? steadyMs());
  throw new TwitchFault('unavailable', 'a custom reward may exist that Twitch does not list; looking again');
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
 * Finds a custom reward with one of this rule's titles, also from before a correction, that belongs to no other rule: it
 * was created by a call whose answer was lost.
 */
async function findLost({ db, points }: StepDeps, reward: RuleCustomReward): Promise<TwitchReward | null> {
  const titles = [...titlesFor(reward), ...(await formerTitlesOf(db.read, reward))];
  const all = await points.list(reward.channelId);
  const listed = all.filter(({ title }) => titles.includes(title));
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
  { state, isRenamed = false }: { state: CustomRewardState; isRenamed?: boolean },
): Promise<void> {
  const flags = { isEnabled: state !== 'disabled', isPaused: state === 'paused' };
  const [title, otherTitle, plainTitle] = titlesFor(reward);
  const update = (text: Partial<RewardText>) =>
    deps.points.update(reward.channelId, twitchRewardId, { ...text, ...flags });
  const rename = (text: Partial<RewardText>) =>
    update({ ...text, title: deps.refused.pick([title, plainTitle]) }).catch((error) => {
      if (creationRefusal(error) !== 'titleTaken') throw error;
      return update({ ...text, title: otherTitle });
    });
  const confirmed = await (state === 'disabled'
    ? update({})
    : inOtherWords(deps, reward, isRenamed ? [title, plainTitle] : [title], isRenamed ? rename : update));
  await confirm(deps, reward.ruleId, { state: confirmed.state });
}

/** Hides it first and then reads its queue: a redemption from the last moment would otherwise count as fulfilled. */
async function deleteReward(deps: StepDeps, reward: RuleCustomReward, twitchRewardId: string): Promise<void> {
  const { db, clock, log, points } = deps;
  const { ruleId, channelId, state } = reward;
  if (state !== 'disabled') return updateReward(deps, reward, twitchRewardId, { state: 'disabled' });
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
 * Returns whether a custom reward's text or cost differs from what it should be: somebody changed it, the rule's name was
 * corrected, or other items can be won by now. Hidden ones do not matter.
 */
export async function isOutdated(
  deps: StepDeps,
  reward: RuleCustomReward,
  shown: TwitchReward,
): Promise<boolean> {
  if (reward.desired === 'disabled' || reward.desired === 'deleted') return false;
  const { cost, prompt } = await textOf(deps, reward);
  if (shown.cost !== cost || shown.skipsQueue || shown.prompt !== prompt) return true;
  return hasFormerName(deps, reward, shown);
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
