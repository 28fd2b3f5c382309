const items = (count: number): string => (count === 1 ? '1 item' : `${count} items`);

/** The words for the browser and its shop. */
export const listing = {
  name: 'Keepsake for Steam and Twitch',
  description: 'Says on Steam’s trade page whether an offer is the one your Keepsake site sent you.',
};

/** The words for Steam’s pages. */
export const verdict = {
  by: 'Keepsake extension',
  verdicts: {
    reward: (channel: string | null) =>
      channel === null
        ? 'This is your reward. You give nothing.'
        : `This is your reward from ${channel}. You give nothing.`,
    return: () => 'Your items come back. You give nothing.',
    deposit: (count: number) => `This is the deposit you started. You give ${items(count)}.`,
    imitated: 'Not from Keepsake: do not accept',
    altered: 'This is not what we sent: do not accept',
    changed: 'This is no longer the offer that was sent: do not send it',
    foreign: 'Not a Keepsake offer: do not accept it as one',
    unknown: 'Cannot check: do not accept it yet',
  },
  lines: {
    reward: (item: string, rule: string | null) => (rule === null ? item : `${item}, for “${rule}”`),
    return: (count: number) => `${items(count)} of yours, from our custody.`,
    deposit: (bot: string) => `${bot} keeps them for you. Until they are promised, you can take them back.`,
    until: (date: string) => `Open until ${date}.`,
    imitated: 'It looks like one of ours, and is not. A reward offer never asks for your items.',
    altered: 'Number, sender and code are ours, but not the items.',
    changed: 'It was changed on this page. Load the page again to see the offer that you were sent.',
    foreign: 'It uses the name, but no reward, return or deposit of yours belongs to it.',
  },
  feet: {
    good: 'Accept it with Steam’s own button. The extension never presses it for you.',
    deposit: 'Didn’t start one? Decline it, and revoke tokens in the site’s settings.',
    imitated: 'Decline it on Steam.',
    altered: 'Decline it on Steam, and tell the site.',
    waits: ' Your real reward is still waiting on the site.',
    changed: '',
    foreign: 'Is it from a friend? Then it has nothing to do with Keepsake: read what you give.',
    unknown: 'This says nothing about the offer. Compare sender, code and items on the site.',
  },
  facts: {
    sender: 'Sender',
    account: 'Your Steam account',
    code: 'Code',
    give: 'You give',
    receive: 'You get',
  },
  agree: {
    sender: (bot: string) => `${bot}, SteamID matches`,
    account: () => 'The connected one',
    code: (code: string) => `${code} matches`,
    give: (count: string) => (count === '0' ? 'Nothing' : `Exactly the ${items(Number(count))} you picked`),
    receive: (count: string) => (count === '0' ? 'Nothing' : `Exactly ${items(Number(count))}`),
  },
  differ: {
    sender: (here: string, ours: string) =>
      ours ? `Another account. Ours: ${ours}, this: ${here}` : `Not one of this site’s bots: ${here}`,
    account: () => 'Not the one that it was sent to',
    code: (here: string, ours: string) =>
      here === '' ? 'None' : ours === '' ? `${here}, unknown to us` : `Here ${here}, yours ${ours}`,
    give: (here: string) => (here === '0' ? 'Nothing' : items(Number(here))),
    receive: (here: string) => (here === '0' ? 'Nothing' : `${items(Number(here))}, not those of the offer`),
  },
  again: 'Check again',
};

/** Reasons why the site has no answer. */
export const silences = {
  signedOut: 'The extension is not signed in. Press its icon.',
  revoked: 'Its access was revoked. Press its icon to sign in again.',
  unverified: 'Verify your email on the site first.',
  reload: 'The extension was updated. Reload the page.',
  unreachable: 'The site did not answer.',
  slow: 'The site did not answer in time.',
  busy: 'The site was asked too often. Wait a minute.',
  odd: 'The extension does not understand the site’s answer. One of them needs an update.',
};

/** Reasons why an offer cannot be checked although it has. */
export const doubts = {
  shape: 'Steam’s page has a form the extension does not know.',
  filling: 'Steam’s page has not shown all items.',
  account: 'You are signed in to another Steam account than the one connected on the site.',
  noAccount: 'No Steam account is connected on the site.',
  unnamed: 'It comes from one of our bots, but is not among the offers that wait for you.',
  openIt: 'This list does not show enough of it. Open the offer.',
};

/** The panel behind the icon, whose words the browser keeps: `$1` and `$2` stand for what is put in. */
export const panel = {
  title: 'Keepsake',
  instance: 'Address of your Keepsake site',
  code: 'Code',
  getCode: 'Get a code on the site',
  codeHint: 'Open “/extension/code” on your site, while you are signed in there.',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedIn: 'Signed in to $1',
  signedInAs: 'Signed in to $1 as $2',
  badInstance: 'This is not the address of a site, such as keepsake.example.',
  failed: 'That did not work. Try again with a new code.',
  notRevoked: 'Signed out here. The site did not answer: revoke the access in its settings.',
  ready: 'Ready to claim',
  nothingReady: 'Nothing to claim right now.',
  claim: 'Claim on the site',
  until: 'until $1',
  steam: 'Check trade offers on Steam’s pages',
  twitch: 'Show progress on Twitch’s channel pages',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  on: 'On',
  off: 'Off',
  reloadPages: 'Reload pages that were open before.',
  wait: 'Asking the site…',
  lost: 'The browser no longer allows this. Nothing is shown there.',
  limits:
    'No extension runs in Steam’s app and client, where most offers are accepted. There, open the offer by its link on the site, and compare sender, code and items yourself.',
  private: 'It talks to your site only, keeps nothing of your offers, and never presses a button for you.',
};

/** The line on Twitch’s pages. */
export const twitch = {
  label: 'Keepsake: progress on this channel',
  ready: (count: number) =>
    count === 1 ? '1 reward is ready to claim' : `${count} rewards are ready to claim`,
  claim: 'Claim',
  of: (have: string, need: string) => `${have} of ${need}`,
  met: 'All conditions are met',
  inChat: {
    counted: 'in chat now',
    uncounted: 'in chat now, not counted',
    absent: 'not in chat now',
  } as Record<string, string>,
  time: (hours: number, minutes: number) =>
    [hours && `${hours} h`, (minutes || !hours) && `${minutes} min`].filter(Boolean).join(' '),
};
