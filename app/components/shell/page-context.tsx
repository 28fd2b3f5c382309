import { createContext, useContext } from 'react';

export const themes = ['system', 'dark', 'light'] as const;
export type Theme = (typeof themes)[number];

export function isTheme(value: unknown): value is Theme {
  return themes.some((theme) => theme === value);
}

/** What the shell shows of the person who is signed in. */
export type UserSummary = {
  name: string;
  avatarUrl: string | null;
  verified: boolean;
  /** Rewards that wait to be claimed, for the mark in the menu. */
  readyCount: number;
  /** Their Twitch connection lost a permission: their rules are paused until they connect again. */
  twitchRestricted: boolean;
};

/** What is known of the document before any route is drawn, and so also while an error is. */
export type DocumentFacts = { nonce: string; theme: Theme; requestId: string };

export const DocumentContext = createContext<DocumentFacts>({ nonce: '', theme: 'system', requestId: '' });

export function useDocument(): DocumentFacts {
  return useContext(DocumentContext);
}

/** What every page may need of the visit: who, when (time zone), and where pictures, Steam and Twitch are. */
export type PageContextValue = {
  user: UserSummary | null;
  timeZone: string;
  imageUrl: string;
  sites: { steam: string; twitch: string };
};

export const PageContext = createContext<PageContextValue>({
  user: null,
  timeZone: 'UTC',
  imageUrl: '',
  sites: { steam: '', twitch: '' },
});

export function usePageContext(): PageContextValue {
  return useContext(PageContext);
}

/** Addresses of pages on this instance's Steam and Twitch. */
export function useSites() {
  const { steam, twitch } = usePageContext().sites;
  return {
    offer: (offerId: string) => `${steam}tradeoffer/${offerId}/`,
    inventory: `${steam}my/inventory/`,
    tradePrivacy: `${steam}my/tradeoffers/privacy`,
    inventoryPrivacy: `${steam}my/edit/settings`,
    channel: (login: string) => `${twitch}${encodeURIComponent(login)}`,
  };
}
