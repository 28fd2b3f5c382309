import { createContext, type ReactNode, useContext } from 'react';

export const themes = ['system', 'dark', 'light'] as const;
export type Theme = (typeof themes)[number];

export function isTheme(value: unknown): value is Theme {
  return themes.some((theme) => theme === value);
}

/** The facts about the signed-in user that the layout shows. */
export type UserSummary = {
  name: string;
  avatarUrl: string | null;
  verified: boolean;
  /** Number of rewards ready to claim, for the badge in the menu. */
  readyCount: number;
  /**
   * The reason why Keepsake cannot use their channel: its connection is broken, or Twitch no longer shows it.
   * Its rules are paused.
   */
  twitchTrouble: 'broken' | 'missing' | null;
  /** Set for the operator, whose menu leads to the operator's page. */
  isOperator?: true;
};

/** Facts about the document that are known before any route is rendered, and so also for error pages. */
export type DocumentFacts = {
  nonce: string;
  theme: Theme;
  requestId: string;
  /** Additions to the head by the server. */
  head?: ReactNode;
};

export const DocumentContext = createContext<DocumentFacts>({ nonce: '', theme: 'system', requestId: '' });

export function useDocument(): DocumentFacts {
  return useContext(DocumentContext);
}

/**
 * The facts about the visit that any page may need: user, time zone, and the addresses of pictures, Steam and
 * Twitch.
 */
export type PageContextValue = {
  user: UserSummary | null;
  timeZone: string;
  /** Domain time at which the page's data was read; null outside a page. */
  nowMs: number | null;
  imageUrl: string;
  /** The folder of stickers' pictures, which is not that of items. */
  appliedImageUrl: string;
  sites: { steam: string; twitch: string };
};

export const PageContext = createContext<PageContextValue>({
  user: null,
  timeZone: 'UTC',
  nowMs: null,
  imageUrl: '',
  appliedImageUrl: '',
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
