import { createContext } from 'react-router';
import type { UserSummary } from '#app/components/shell/page-context.tsx';
import type { Language } from '#app/locales/languages.ts';

// Every context has a default, so that a page which fails before its middleware ran can still be drawn.
export const requestIdContext = createContext<string>('');
export const nonceContext = createContext<string>('');
export const languageContext = createContext<Language>('en');
export const clientAddressContext = createContext<string>('127.0.0.1');
/** Set if a part of the page could not be loaded: such a page is not cached. */
export const incompleteContext = createContext<boolean>(false);
/** The signed-in user as shown by the layout. Set by the session middleware. */
export const userSummaryContext = createContext<UserSummary | null>(null);
