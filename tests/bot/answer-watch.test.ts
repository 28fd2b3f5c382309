import { expect, test } from 'vitest';
import { z } from 'zod';
import { createLog } from '#bot/log.ts';
import { startAnswerWatch } from '#bot/workers/start-answer-watch.ts';
import { listOddAnswers } from '#domain/odd-answer/list-odd-answers.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import type { AnswerShape } from '#platform/answers/odd-answer.ts';
import { until } from '#tests/bot/twitch/stage.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

const shape: AnswerShape = {
  platform: 'steam',
  place: 'IEconService/GetTradeStatus/v1',
  schema: z.object({ status: z.literal([0, 3]) }),
  reaction: 'rowSkipped',
  newValues: {},
  source: 'https://example.com',
};

test('A difference that lasts is logged once, and counted each time', async () => {
  const logged: { found?: string }[] = [];
  const log = createLog('warn', { write: (line) => void logged.push(JSON.parse(line)) });
  const clock = { now: () => START_MS, stop: () => {} };
  const counts = async () => {
    const stored = await listOddAnswers(db.read);
    return stored.map(({ found, count }) => `${found}: ${count}`).toSorted();
  };
  answerWatch.take();
  answerWatch.look(shape, { status: 13 });
  const watch = startAnswerWatch({ db, clock, log });
  await until(counts, (all) => all.join() === '13: 1', 5000);
  answerWatch.look(shape, { status: 13 });
  watch.nudge();
  await until(counts, (all) => all.join() === '13: 2', 5000);
  answerWatch.look(shape, { status: 13 });
  answerWatch.look(shape, { status: 14 });
  await watch.stop();
  expect(await counts()).toEqual(['13: 3', '14: 1']);
  expect(logged.map(({ found }) => found)).toEqual(['13', '14']);
});
