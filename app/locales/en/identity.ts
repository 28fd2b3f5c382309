/** The texts about a person's own name, address and password. */
export const identity = {
  name: { title: 'Name', change: 'Change name', save: 'Save name', done: 'Name updated' },
  email: {
    title: 'Email',
    lede: 'Current: {{email}}. It stays in use until you confirm the new one. We also send it a notice of the change.',
    next: 'New email',
    change: 'Change email',
    save: 'Send link',
    sent: 'Verification email has been sent',
    sentBody: 'Open the link we sent to {{email}}. Until then, your old address stays in use.',
    sentInstead: 'Open the link we sent to {{email}}.',
    pending: 'Waiting for {{email}} to be confirmed. The link is valid for 24 hours.',
  },
  confirm: {
    title: 'Confirm that it is you',
    lede: 'What you are about to do could cost you items if somebody else did it. We ask once, and again only after ten minutes.',
    frozenLede:
      'Your account is frozen. To end that, prove once more that it is you: a sign-in more than ten minutes ago, or one that Twitch answered without asking you, does not count.',
    password: 'Your password',
    submit: 'Confirm',
    byTwitch: 'Confirm with Twitch',
    byTwitchHint: 'Use the Twitch account that is connected to your account: {{name}}.',
    impossible:
      'This account has no password and no connected Twitch account. Set a password through “Forgot your password?”.',
    back: 'Back to profile',
  },
  readiness: {
    title: 'Trade readiness',
    lede: 'What Steam says about trading with your account.',
    check: 'Check readiness',
    again: 'Check again',
    checking: 'Checking with Steam…',
    needsLink: 'Save your trade link first, then check your readiness.',
    token: {
      label: 'Trade link',
      good: 'Steam accepts offers to it.',
      bad: 'Steam no longer accepts it. Copy the current one from Steam and save it here.',
      unknown: 'Steam cannot be asked right now. Check again in a moment.',
    },
    hold: {
      label: 'Trade hold',
      good: 'None: a deposit arrives as soon as you accept it.',
      bad_one:
        'Steam would hold what you deposit for {{count}} day. Set up the Steam Guard authenticator to avoid it. Rewards are not held.',
      bad_other:
        'Steam would hold what you deposit for {{count}} days. Set up the Steam Guard authenticator to avoid it. Rewards are not held.',
      unknown: 'Unknown until the trade link can be checked.',
    },
    inventory: {
      label: 'Inventory',
      good: 'Public: you can pick items to deposit.',
      bad: 'Private. Make it public on Steam to deposit items. You can still claim rewards.',
      unknown: 'Steam cannot be asked right now. Check again in a moment.',
    },
    state: { good: 'Ready', bad: 'Not ready', unknown: 'Unknown' },
  },
} as const;
