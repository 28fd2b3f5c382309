/** The banner's keys, by the names that the specification gives them. */
export const cookieConsent = {
  title: 'Cookies',
  description:
    'Our own cookies keep you signed in and remember your language and theme. There is no advertising and no tracking. If we ever add optional cookies, they load only if you accept all.',
  learn_more: 'More about cookies',
  accept_all: 'Accept all',
  essential_only: 'Essential only',
} as const;
