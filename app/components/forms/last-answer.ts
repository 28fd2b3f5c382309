import { useState } from 'react';

/**
 * What the page's form answered last. The router forgets it when the page is drawn anew, because a message came or the
 * time zone is known; what is shown only once must stay.
 */
export function useLastAnswer<T>(answer: T | undefined): T | undefined {
  const [lastAnswer, setLastAnswer] = useState(answer);
  if (answer !== undefined && answer !== lastAnswer) setLastAnswer(answer);
  return answer ?? lastAnswer;
}
