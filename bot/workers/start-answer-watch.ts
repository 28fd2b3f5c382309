import type { BotDeps, BotPart } from '#bot/deps.ts';
import { atIntervals, startWorker } from '#bot/worker.ts';
import { minute } from '#domain/kernel/time.ts';
import { recordOddAnswers } from '#domain/odd-answer/record-odd-answers.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';

const STORE_MS = minute;

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'>;

/** Stores once a minute how platforms' answers differed, and once more at the end. */
export function startAnswerWatch(deps: Deps): BotPart {
  const { log } = deps;
  const run = atIntervals(STORE_MS, () => storeOddAnswers(deps));
  const worker = startWorker({ name: 'odd-answers', everyMs: STORE_MS, run, log });
  return {
    report: () => ({}),
    nudge: () => worker.nudge(),
    async stop() {
      await worker.stop();
      await storeOddAnswers(deps).catch((error) =>
        log.warn({ err: error }, 'how platforms answered in the last minute could not be stored'),
      );
    },
  };
}

/**
 * Stores what was counted, and logs what is new. If the database fails, the counts go on and are stored the next
 * time.
 */
async function storeOddAnswers({ db, clock, log }: Deps): Promise<void> {
  const odd = answerWatch.take();
  if (odd.length === 0) return;
  const added = await recordOddAnswers(db, odd, clock.now()).catch((error) => {
    answerWatch.putBack(odd);
    throw error;
  });
  for (const { platform, place, path, difference, found, reaction, count } of added)
    log.warn(
      { platform, place, path, difference, found, reaction, count },
      'a platform answers in a way that this version does not know; keepsake shapes reports it',
    );
}
