import { desc } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { oddAnswers } from '#db/schema/odd-answer.ts';
import { MAX_ODD_ANSWERS } from '#domain/odd-answer/record-odd-answers.ts';

export type ListedOddAnswer = typeof oddAnswers.$inferSelect;

/** Lists the ways in which platforms' answers differed, the newest first. */
export const listOddAnswers = (q: Reader): Promise<ListedOddAnswer[]> =>
  q
    .select()
    .from(oddAnswers)
    .orderBy(desc(oddAnswers.lastSeenAtMs), desc(oddAnswers.count), oddAnswers.id)
    .limit(MAX_ODD_ANSWERS);
