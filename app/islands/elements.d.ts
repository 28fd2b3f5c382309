import type { ComponentProps } from 'react';

type Own = Omit<ComponentProps<'div'>, 'className'> & { class?: string };

// Elements of our own, which the scripts in this folder bring to life.
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'captcha-box': Own;
      'consent-banner': Own;
      'consent-settings': Own;
    }
  }
}
