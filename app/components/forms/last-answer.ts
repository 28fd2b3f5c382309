import { useState } from 'react';

/**
 * The last answer to the page's form. The router drops it when the page revalidates, but a secret that is shown only
 * once must stay.
 */
export function useLastAnswer<T>(answer: T | undefined): T | undefined {
  const [lastAnswer, setLastAnswer] = useState(answer);
  if (answer !== undefined && answer !== lastAnswer) setLastAnswer(answer);
  return answer ?? lastAnswer;
}
