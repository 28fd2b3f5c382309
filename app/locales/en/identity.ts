/** What a person may change about themselves. */
export const identity = {
  name: { title: 'Name', change: 'Change name', save: 'Save name', done: 'Name updated' },
  email: {
    title: 'E-mail',
    lede: 'Now: {{email}}. It stays in use until you confirm the new one, and is told of the change.',
    next: 'New e-mail',
    change: 'Change e-mail',
    save: 'Mail me a link',
    sent: 'Verification email has been sent',
    sentBody: 'Open the link that we sent to {{email}}. Until then your old address stays.',
    pending: 'Waiting for {{email}} to be confirmed. The link is valid for 24 hours.',
  },
  readiness: {
    title: 'Trade readiness',
    lede: 'What Steam says right now about trading with you.',
    check: 'Check readiness',
    again: 'Check again',
    checking: 'Asking Steam…',
    needsLink: 'Save your trade link first. Then its readiness can be checked.',
    token: {
      label: 'Trade link',
      good: 'Steam accepts offers to it.',
      bad: 'Steam no longer accepts it. Copy the current one from Steam and save it here.',
      unknown: 'Steam did not answer. Check again in a moment.',
    },
    hold: {
      label: 'Trade hold',
      good: 'None: items arrive as soon as you accept.',
      bad_one: 'Steam holds your items for {{count}} day. The Steam Guard authenticator avoids it.',
      bad_other: 'Steam holds your items for {{count}} days. The Steam Guard authenticator avoids it.',
      unknown: 'Not known while the trade link cannot be checked.',
    },
    inventory: {
      label: 'Inventory',
      good: 'Public: items can be picked for deposit.',
      bad: 'Private. Make it public on Steam to deposit items; claiming works all the same.',
      unknown: 'Steam did not answer. Check again in a moment.',
    },
    state: { good: 'Ready', bad: 'Not ready', unknown: 'Not known' },
  },
} as const;
