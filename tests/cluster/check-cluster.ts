import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { MAX_LINES_PER_CHANNEL } from '#sandbox/twitch/chat-rooms.ts';
import type { WorldState } from '#sandbox/twitch/world-state.ts';
import type { ApiClient } from '../soak/api-client.ts';
import type { PlantedOutcome } from '../soak/plant.ts';
import type { Stage } from '../soak/stage.ts';
import { readTwitch } from '../soak/truth.ts';

/** Lists what was answered as done and is not stored. A claim is answered with its reward. */
export async function findLost({
  api,
  db,
}: Pick<Stage, 'db'> & { api: Pick<ApiClient, 'done'> }): Promise<{ acknowledged: number; lost: string[] }> {
  const named = (...paths: string[]) =>
    api.done.flatMap(({ method, path, ids }) => (method === 'POST' && paths.includes(path) ? ids : []));
  const q = db.read;
  const known = await q.select({ id: transfers.id, rewardId: transfers.rewardId }).from(transfers);
  const kinds = {
    'claim of the reward': [named('/claims'), known.map(({ rewardId }) => rewardId)],
    transfer: [named('/items/deposit', '/items/return'), known.map(({ id }) => id)],
    rule: [named('/rules'), (await q.select({ id: rules.id }).from(rules)).map(({ id }) => id)],
  } as const;
  const lost = Object.entries(kinds).flatMap(([what, [wanted, stored]]) => {
    const all = new Set<string | null>(stored);
    return wanted.flatMap((id) =>
      all.has(id) ? [] : [`the ${what} ${id} was answered as done and is lost`],
    );
  });
  return { acknowledged: Object.values(kinds).flatMap(([wanted]) => wanted).length, lost };
}

/** The command whose answers are counted. */
export const QUESTION = '!progress';

/** The bot names people unasked when they have earned something. */
const isAnnouncement = (text: string): boolean => text.includes(' earned a reward: ');

/**
 * Lists whoever was answered twice in a chat; one line may answer several. An answer names its asker and no question, and
 * the people of the cluster ask once in a chat, so that a second answer to one of them cannot belong to another question.
 * One who asked again is listed too, because nothing could be said of the answers, and so is a chat with as many lines as
 * are kept: earlier ones may be forgotten.
 */
export function findDoubledAnswers({ chat, users }: Pick<WorldState, 'chat' | 'users'>): {
  answers: number;
  doubled: string[];
} {
  const names = new Map(users.map(({ id, displayName }) => [id, displayName]));
  const answersTo = new Map<string, number>();
  const doubled: string[] = [];
  for (const { broadcasterId, userId, text } of chat) {
    const keyOf = (name: string | undefined) => `${broadcasterId} ${name}`;
    if (text === QUESTION) {
      const asker = names.get(userId);
      if (answersTo.has(keyOf(asker))) doubled.push(`${asker} asked again in ${broadcasterId}`);
      else answersTo.set(keyOf(asker), 0);
    }
    if (isAnnouncement(text)) continue;
    for (const [, name] of text.matchAll(/@(\S+)/g)) {
      const before = answersTo.get(keyOf(name)) ?? 0;
      answersTo.set(keyOf(name), before + 1);
      if (before > 0) doubled.push(`${name} was answered again in ${broadcasterId}: ${text}`);
    }
  }
  const lines = new Map<string, number>();
  for (const { broadcasterId } of chat) lines.set(broadcasterId, (lines.get(broadcasterId) ?? 0) + 1);
  for (const [broadcasterId, count] of lines)
    if (count >= MAX_LINES_PER_CHANNEL) doubled.push(`${broadcasterId} has more lines than are kept`);
  return { answers: [...answersTo.values()].reduce((sum, each) => sum + each, 0), doubled };
}

export const doubledAnswersOf = (stage: Stage) => findDoubledAnswers(readTwitch(stage.sandboxFolder));

/** Shows that the cluster's own comparisons find something: an answer that was never stored, and a line that came twice. */
export async function findPlantedHere(stage: Stage): Promise<Record<string, PlantedOutcome>> {
  const outcome = (isFound: boolean): PlantedOutcome => (isFound ? 'found' : 'not found');
  const done = [...stage.api.done, { method: 'POST', path: '/claims', ids: ['never stored'] }];
  const { lost } = await findLost({ api: { done }, db: stage.db });
  const { chat, users } = readTwitch(stage.sandboxFolder);
  const answer = chat.find(({ text }) => text.startsWith('@') && !isAnnouncement(text));
  const doubledIn = (lines: typeof chat) => findDoubledAnswers({ chat: lines, users }).doubled.length;
  return {
    acknowledgementLost: outcome(lost.some((each) => each.includes('never stored'))),
    answeredTwice: answer ? outcome(doubledIn([...chat, answer]) > doubledIn(chat)) : 'nothing to break',
  };
}
