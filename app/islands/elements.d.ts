import type { ComponentProps } from 'react';

type Own = Omit<ComponentProps<'div'>, 'className'> & { class?: string };

// Custom elements that the scripts in this folder define.
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'captcha-box': Own;
      'consent-banner': Own;
      'consent-settings': Own;
      'passkey-box': Own;
      'push-switch': Own;
    }
  }
}
