import { createContext, use } from 'react';
import { useMatches, useRouteLoaderData } from 'react-router';
import { areaOf, type TextArea } from '#app/locales/areas.ts';
import type { BrowserTexts } from '#app/locales/load-texts.ts';
import type { Toast } from './toasts.tsx';

/** What a page says of itself to the frame around it. */
export interface PageHandle {
  /** It is read or sent as it is: it comes without React, and a small script of its own does what little is left. */
  plain?: true;
  /** What it says besides what is common to all pages. A test compares this with what its components ask for. */
  texts?: readonly TextArea[];
}

const useHandles = () => useMatches().map(({ handle }) => handle as PageHandle | undefined);

/**
 * Whether the page comes without React. Only the server asks: a browser that draws the page has React, because it came
 * from one that needs it.
 */
export function useIsPlain(): boolean {
  const page = useHandles().at(-1);
  return import.meta.env.SSR && page?.plain === true;
}

/** The texts of the page, and of the message that waits on it. */
export function usePageTexts(): TextArea[] {
  const known = useRouteLoaderData('root') as { toast: Toast | null } | undefined;
  const { title, body } = known?.toast ?? {};
  const told = [title, body].filter((key) => key !== undefined).map(areaOf);
  return [...new Set([...useHandles().flatMap((handle) => handle?.texts ?? []), ...told])];
}

/** How a browser gets texts that it has not yet. The server has all of them. */
export const LoadTextsContext = createContext<BrowserTexts['load']>(() => null);

/** Holds the way to a page up until its texts are there; the page before stays as long. */
export function useLoadedTexts(areas: readonly TextArea[]): void {
  const pending = use(LoadTextsContext)(areas);
  if (pending) use(pending);
}
