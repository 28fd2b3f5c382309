import { createContext, use } from 'react';
import { useMatches, useRouteLoaderData } from 'react-router';
import type { Toast } from '#app/components/feedback/toasts.tsx';
import type { BrowserTexts } from '#app/locales/load-texts.ts';

/** Facts about a page for the layout around it. */
export interface PageHandle {
  /** The page comes without React; a small script of its own does the rest. */
  plain?: true;
}

/**
 * Whether the page comes without React. Only the server asks: a browser that draws the page has React, because it came
 * from one that needs it.
 */
export function useIsPlain(): boolean {
  const handle = useMatches().at(-1)?.handle as PageHandle | undefined;
  return import.meta.env.SSR && handle?.plain === true;
}

/** The area of a key that comes from data: its first word. */
const areaOf = (key: string): string => key.slice(0, key.indexOf('.'));

/** What the page needs in texts: its own, which go by the route's id, and the areas of the message that waits on it. */
export function usePageTexts(): string[] {
  const page = useMatches().at(-1);
  const known = useRouteLoaderData('root') as { toast: Toast | null } | undefined;
  const { title, body } = known?.toast ?? {};
  const said = [title, body].filter((key) => key !== undefined).map(areaOf);
  return [...new Set(page ? [page.id, ...said] : said)];
}

/** How a browser gets texts that it has not yet. The server has all of them. */
export const LoadTextsContext = createContext<BrowserTexts['load']>(() => null);

/** Delays a navigation until the page's texts are loaded; the previous page stays until then. */
export function useLoadedTexts(names: readonly string[]): void {
  const pending = use(LoadTextsContext)(names);
  if (pending) use(pending);
}

/** The same for a key that comes from data. */
export const useTextsFor = (key: string): void => useLoadedTexts([areaOf(key)]);
