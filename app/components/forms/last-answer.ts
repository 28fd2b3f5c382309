import { useState } from 'react';

/**
 * What the page's form answered last. The router forgets it when the page is drawn anew, because a message came or the
 * time zone is known; what is shown only once must stay.
 */
export function useLastAnswer<T>(answer: T | undefined): T | undefined {
  const [kept, setKept] = useState(answer);
  if (answer !== undefined && answer !== kept) setKept(answer);
  return answer ?? kept;
}
