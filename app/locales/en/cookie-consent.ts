/** The banner's keys, by the names that the specification gives them. */
export const cookieConsent = {
  title: 'Cookies',
  description:
    'A few of our own keep you signed in and remember your language and theme. There is no advertising and no tracking here. If an optional one is ever added, it loads only when you accept all.',
  learn_more: 'Learn more',
  accept_all: 'Accept all',
  essential_only: 'Essential only',
} as const;
