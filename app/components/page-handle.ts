import { useMatches } from 'react-router';

/** What a page says of itself to the frame around it. */
export interface PageHandle {
  /** It is read or sent as it is: it comes without React, and a small script of its own does what little is left. */
  plain?: true;
}

/**
 * Whether the page comes without React. Only the server asks: a browser that draws the page has React, because it came
 * from one that needs it.
 */
export function useIsPlain(): boolean {
  const page = useMatches().at(-1)?.handle as PageHandle | undefined;
  return import.meta.env.SSR && page?.plain === true;
}
