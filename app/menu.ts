import type { Sign } from '#app/components/icons/icon.tsx';
import {
  ArrowLeftRight,
  CircleHelp,
  Compass,
  CreditCard,
  History,
  Hourglass,
  LayoutDashboard,
  MessageCircle,
  Package,
  ScrollText,
  Settings,
  UserRound,
} from '#app/components/icons/signs.ts';
import type { TextKey } from '#app/locales/translation.ts';

export type MenuEntry = { to: string; label: TextKey; icon: Sign; counts?: 'ready' };
export type MenuGroup = { name: 'general' | 'viewer' | 'streamer' | 'help'; entries: MenuEntry[] };

/** The menu's entries in their order. Each is added together with its route. */
export const menu: MenuGroup[] = [
  {
    name: 'general',
    entries: [{ to: '/dashboard', label: 'shell.link.dashboard', icon: LayoutDashboard }],
  },
  {
    name: 'viewer',
    entries: [
      { to: '/browseChannels', label: 'shell.link.browse', icon: Compass },
      { to: '/rewardProgress', label: 'shell.link.rewardProgress', icon: Hourglass, counts: 'ready' },
      { to: '/rewardHistory', label: 'shell.link.rewardHistory', icon: History },
    ],
  },
  {
    name: 'streamer',
    entries: [
      { to: '/items', label: 'shell.link.items', icon: Package },
      { to: '/rules', label: 'shell.link.rules', icon: ScrollText },
      { to: '/transfers', label: 'shell.link.transfers', icon: ArrowLeftRight },
      { to: '/billing', label: 'shell.link.billing', icon: CreditCard },
    ],
  },
  {
    name: 'help',
    entries: [
      { to: '/contact_us', label: 'shell.link.contact', icon: MessageCircle },
      { to: '/faq', label: 'shell.link.faq', icon: CircleHelp },
    ],
  },
];

/** The user menu's entries. */
export const accountMenu: MenuEntry[] = [
  { to: '/profile', label: 'shell.link.profile', icon: UserRound },
  { to: '/settings', label: 'shell.link.settings', icon: Settings },
];

export type PlainLink = { to: string; label: TextKey };

/** Entries of public pages' bar for visitors who are not signed in. */
export const entrance: { signin: PlainLink | null; signup: PlainLink | null } = {
  signin: { to: '/auth/signin', label: 'shell.link.signin' },
  signup: { to: '/auth/signup', label: 'shell.link.signup' },
};

/** The bar of public pages. */
export const siteLinks: PlainLink[] = [
  { to: '/#how', label: 'shell.link.howItWorks' },
  { to: '/#safe', label: 'shell.link.safety' },
  { to: '/#channels', label: 'shell.link.channels' },
  { to: '/#pricing', label: 'shell.link.pricing' },
  { to: '/faq', label: 'shell.link.faq' },
];

/** The footer of every page. */
export const footLinks: PlainLink[] = [
  { to: '/#about', label: 'shell.link.about' },
  { to: '/faq', label: 'shell.link.faq' },
  { to: '/contact_us', label: 'shell.link.contact' },
  { to: '/terms_of_service', label: 'shell.link.terms' },
  { to: '/privacy_policy', label: 'shell.link.privacy' },
  { to: '/cookie_policy', label: 'shell.link.cookies' },
];

/** The page that asks before signing out. */
export const signOutPath: string | null = '/auth/signout';
