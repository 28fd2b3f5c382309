import type { AccountChange, MailValues, SignInWay } from '#domain/outbox/queue-mail.ts';
import { disownUrl, forgotUrl, type MailText, moment, settingsUrl } from '../letter.ts';

type Values = MailValues['accountChanged'];

interface ChangeText {
  subject: string;
  text: (steam: string) => string;
  /** Further advice if it was somebody else, once all access has ended; `checkNext` if omitted. */
  next?: string;
}

const setPassword =
  'If this was not you, set a new password with the link below now: that signs out all browsers and revokes your API tokens and companion app codes.';
const endAccess =
  'If this was not you, press the button below now: the page behind it signs out all browsers, revokes your API tokens and companion app codes, freezes what was given away since, and leads you to a new password. The link works once, within 7 days.';
const checkNext = 'Then check in your profile which accounts are connected, and write to us.';

/** The texts that notify an account's owner of a change to something that protects their items. */
const changes: Record<AccountChange, ChangeText> = {
  steamLinked: {
    subject: 'A Steam account was connected',
    text: (steam) =>
      `The Steam account ${steam} was connected to your account. Items that you deposited from another Steam account can be returned to it, or put on rules, after 7 days.`,
  },
  steamUnlinked: {
    subject: 'Your Steam account was disconnected',
    text: (steam) =>
      `The Steam account ${steam} was disconnected from your account. Items cannot be claimed or returned until a Steam account is connected.`,
  },
  twitchLinked: {
    subject: 'A Twitch account was connected',
    text: () =>
      'A Twitch account was connected to your account. Whoever can use it can sign in here with it.',
  },
  tradeLinkChanged: {
    subject: 'Your trade link was changed',
    text: (steam) =>
      `The trade link of your Steam account ${steam} was changed. Offers still go to this Steam account only.`,
  },
  tokenIssued: {
    subject: 'A new API token has access to your account',
    text: () => 'An API token was issued for your account. A program that has it can act for you.',
  },
  tokenGives: {
    subject: 'An API token gives your items away',
    text: () =>
      'A program with an API token of your account opened a rule or added rewards to one. “Who got what” shows who gets them. We write about each token at most once in 30 days.',
    next: 'Then delete the rule, cancel under Item transfers what was not accepted yet, and write to us. If it was your program, but it should not do that, revoke its token in the settings.',
  },
  sessionGives: {
    subject: 'A browser gives your items away',
    text: () =>
      'A browser that is signed in to your account opened a rule or added rewards to one, more than ten minutes after you last proved there who you are. “Who got what” shows who gets the items. We write about each browser at most once in a day.',
    next: 'Then delete the rule, and under “Who got what” stop every claim whose offer was not accepted yet.',
  },
  dockGives: {
    subject: 'A raffle of yours was started by the dock',
    text: () =>
      'A raffle that you had prepared was started by the secret address of your dock. Its winners get your items. We write about each address at most once in a day.',
    next: 'This also replaces the addresses of dock and overlay. Then cancel the raffle if it still takes entries, and under “Who got what” stop every claim whose offer was not accepted yet.',
  },
  passwordChanged: {
    subject: 'Your password was changed',
    text: () => 'The password of your account was changed, and all other browsers were signed out.',
  },
  authenticatorOn: {
    subject: 'An authenticator app was added to your account',
    text: () =>
      'An authenticator app was added to your account. Its codes confirm sign-ins and changes from now on. If two-factor authentication was off before, all other browsers were signed out.',
    next: 'Write to us at once: neither this nor a new password removes the app, whose codes go on confirming sign-ins.',
  },
  authenticatorOff: {
    subject: 'Your authenticator app was turned off',
    text: () =>
      'The authenticator app of your account was turned off with one of its codes, a recovery code or a passkey. Signing in no longer asks for its code: if you have no passkey, your password or Twitch is enough.',
  },
  passkeyAdded: {
    subject: 'A passkey was added to your account',
    text: () =>
      'A passkey was added to your account. It confirms sign-ins and changes from now on; your profile lists it by name. If two-factor authentication was off before, all other browsers were signed out.',
    next: 'Then remove the passkey in your profile, and get new recovery codes there. If you cannot sign in any more, write to us at once: neither this nor a new password removes a passkey.',
  },
  passkeyRemoved: {
    subject: 'A passkey was removed from your account',
    text: () =>
      'A passkey was removed from your account. If it was the last second factor, your password or Twitch is enough to sign in from now on.',
  },
  recoveryCodesRenewed: {
    subject: 'New recovery codes for your account',
    text: () => 'Ten new recovery codes were issued for your account. The ones before no longer work.',
    next: 'Neither this nor a new password ends the codes: then get new ones in your profile, and write to us.',
  },
  recoveryCodeUsed: {
    subject: 'A recovery code was used',
    text: () =>
      'One of the recovery codes of your account was used to sign in or to confirm a change. Your profile shows how many are left.',
  },
  codesGuessed: {
    subject: 'Somebody is guessing codes for your account',
    text: () =>
      'Many wrong codes of your authenticator app were entered. Whoever did it knows your password, or can use your Twitch account or a browser in which you are signed in. Codes of the app are refused for up to a day; a recovery code or a passkey lets you in.',
  },
  secondFactorRemoved: {
    subject: 'The operator removed your second factor',
    text: () =>
      'The operator of this site removed the second factor of your account, because somebody said that they had lost it. All browsers were signed out, and your password or Twitch is enough to sign in. Set up a new second factor in your profile.',
  },
  returnElsewhere: {
    subject: 'Items are being returned to another Steam account',
    text: (steam) =>
      `Items are being returned to the Steam account ${steam}. They were deposited from a different one. You can cancel the offer under Item transfers until it is accepted.`,
  },
  sendDelayLowered: {
    subject: 'Your rewards will be sent sooner',
    text: () =>
      'Somebody chose a shorter delay for what your new rules give. The present delay stays in force for as long as it is itself: until then you can choose a longer one in the settings, which counts at once.',
  },
  rulesClosed: {
    subject: 'Your rules were deleted',
    text: () =>
      'The last rule of your account was deleted, or at least three within an hour. Items that were not promised to anybody are back among your available items; rewards that were promised can still be claimed.',
  },
  twitchUnlinked: {
    subject: 'Your Twitch account was disconnected',
    text: () =>
      'The Twitch account was disconnected from your account. All your rules are paused until one is connected; rewards that were promised can still be claimed.',
  },
  freezeEnded: {
    subject: 'Your account is no longer frozen',
    text: () =>
      'Somebody who proved to be you ended the freeze of your account. Rules that they let go on give rewards again, and items can be returned.',
  },
  newBrowser: {
    subject: 'A new browser signed in to your account',
    text: () =>
      'A browser that had not signed in to your account before, or not since its password was changed, signed in. We write of this at most once a day.',
  },
};

const ways: Record<SignInWay, string> = {
  password: 'the password',
  twitch: 'Twitch',
  secondFactor: 'the second factor, after the password or Twitch',
  passkey: 'a passkey',
};

/** The lines of a letter that describe a sign-in. */
function factsOf(
  { by, browser = '', system = '', atMs, timeZone }: Values,
  publicUrl: URL,
): MailText['facts'] {
  if (by === undefined || atMs === undefined) return undefined;
  const name = browser && system ? `${browser} on ${system}` : browser || system || 'Unknown';
  return [
    ['When', moment(atMs, 'en', timeZone)],
    ['Browser', name],
    ['Signed in with', ways[by]],
    ['Signed-in browsers', settingsUrl(publicUrl)],
  ];
}

/** The letter about such a change. */
export function accountChanged(values: Values, publicUrl: URL): MailText {
  const { name, change, steam = '', token } = values;
  const { subject, text, next = checkNext } = changes[change];
  const facts = factsOf(values, publicUrl);
  return {
    subject,
    paragraphs: [`Hello ${name},`, text(steam), `${token === undefined ? setPassword : endAccess} ${next}`],
    ...(facts && { facts }),
    action:
      token === undefined
        ? { label: 'Set a new password', url: forgotUrl(publicUrl) }
        : { label: 'This wasn’t me', url: disownUrl(token, publicUrl) },
    footnote: 'If this was you, there is nothing else to do.',
  };
}
