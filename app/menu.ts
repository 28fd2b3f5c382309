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

/** The menu of the shell, in its order. An entry is added together with the route that it leads to. */
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

/** What stands behind one's own name in the bar. */
export const accountMenu: MenuEntry[] = [
  { to: '/profile', label: 'shell.link.profile', icon: UserRound },
  { to: '/settings', label: 'shell.link.settings', icon: Settings },
];

export type PlainLink = { to: string; label: TextKey };

/** Ways in for a visitor who is not signed in, in the bar of public pages. */
export const entrance: { signin: PlainLink | null; signup: PlainLink | null } = {
  signin: { to: '/auth/signin', label: 'shell.link.signin' },
  signup: { to: '/auth/signup', label: 'shell.link.signup' },
};

/** The public pages' bar. */
export const siteLinks: PlainLink[] = [
  { to: '/#how', label: 'shell.link.howItWorks' },
  { to: '/#safe', label: 'shell.link.safety' },
  { to: '/#channels', label: 'shell.link.channels' },
  { to: '/#pricing', label: 'shell.link.pricing' },
  { to: '/faq', label: 'shell.link.faq' },
];

/** The foot of every page. */
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
