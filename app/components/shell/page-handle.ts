import { createContext, use } from 'react';
import { useMatches, useRouteLoaderData } from 'react-router';
import type { Toast } from '#app/components/feedback/toasts.tsx';
import type { BrowserTexts } from '#app/locales/load-texts.ts';

/** A page's facts for the layout around it. */
export interface PageHandle {
  /** The page is served without React; a small script of its own does the rest. */
  plain?: true;
}

/**
 * Returns whether the page is served without React. Only the server needs this: in a browser that renders
 * with React, it is false.
 */
export function useIsPlain(): boolean {
  const handle = useMatches().at(-1)?.handle as PageHandle | undefined;
  return import.meta.env.SSR && handle?.plain === true;
}

/** The area of a key that comes from data: its first part. */
const areaOf = (key: string): string => key.slice(0, key.indexOf('.'));

/** The texts that a page needs: its own, by the route's id, and those of the message that is shown on it. */
export function usePageTexts(): string[] {
  const page = useMatches().at(-1);
  const known = useRouteLoaderData('root') as { toast: Toast | null } | undefined;
  const { title, body } = known?.toast ?? {};
  const said = [title, body].filter((key) => key !== undefined).map(areaOf);
  return [...new Set(page ? [page.id, ...said] : said)];
}

/** Loads texts that the browser does not have yet. The server has all of them. */
export const LoadTextsContext = createContext<BrowserTexts['load']>(() => null);

/** Delays a navigation until the page's texts are loaded; the previous page stays until then. */
export function useLoadedTexts(names: readonly string[]): void {
  const pending = use(LoadTextsContext)(names);
  if (pending) use(pending);
}

/** Like `useLoadedTexts`, for a key that comes from data. */
export const useTextsFor = (key: string): void => useLoadedTexts([areaOf(key)]);
