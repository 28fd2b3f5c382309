import {
  confirmMessageUrl,
  contactUrl,
  forgotUrl,
  type MailTexts,
  moment,
  profileUrl,
  proofUrl,
  resetUrl,
  rewardsUrl,
  ruleUrl,
  signInUrl,
  verifyUrl,
} from '../letter.ts';

const pausedRules = (count: number): string =>
  count === 0 ? '' : `${count === 1 ? 'One rule is' : `${count} rules are`} paused.`;

export const en: MailTexts = {
  verifyEmail: ({ name, token }, publicUrl) => ({
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Hello ${name},`,
      'please confirm that this address is yours. The link is valid for 24 hours.',
    ],
    action: { label: 'Confirm address', url: verifyUrl(token, publicUrl) },
    footnote: 'If you did not ask for this, you need not do anything.',
  }),
  resetPassword: ({ name, email, token }, publicUrl) => ({
    subject: 'Set a new password',
    paragraphs: [
      `Hello ${name},`,
      'somebody, hopefully you, asked for a new password. The link works once and is valid for one hour. When the new password is set, all browsers are signed out, and API tokens and codes for the companion app end.',
    ],
    action: { label: 'Set a new password', url: resetUrl(token, email, publicUrl) },
    footnote: 'If you did not ask for this, your password stays as it is and you need not do anything.',
  }),
  changeEmail: ({ name, email, token }, publicUrl) => ({
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `Hello ${name},`,
      `please confirm that ${email} is yours. Until then your old address stays in use. The link is valid for 24 hours.`,
    ],
    action: { label: 'Confirm new address', url: verifyUrl(token, publicUrl) },
    footnote: 'If you did not ask for this, you need not do anything.',
  }),
  emailChangeAsked: ({ name, email }, publicUrl) => ({
    subject: 'Somebody asked to change your e-mail address',
    paragraphs: [
      `Hello ${name},`,
      `somebody, hopefully you, asked that your account use ${email} from now on. A link for it went to that address. Until it is opened this address stays in use.`,
      'If it was not you, set a new password now: that ends the request, and signs everyone out.',
    ],
    action: { label: 'Set a new password', url: forgotUrl(publicUrl) },
    footnote: 'If it was you, you need not do anything.',
  }),
  emailChanged: ({ name, email }, publicUrl) => ({
    subject: 'Your e-mail address was changed',
    paragraphs: [
      `Hello ${name},`,
      `your account now uses ${email}. This address no longer belongs to it, and this is the last mail to it.`,
    ],
    action: { label: 'It was not me', url: contactUrl(publicUrl) },
    footnote: 'If it was you, you need not do anything.',
  }),
  emailWanted: ({ name, email }, publicUrl) => ({
    subject: 'Somebody wanted to use your e-mail address',
    paragraphs: [
      `Hello ${name},`,
      `somebody who is signed in with another account asked to use ${email} for it. This address belongs to your account, so nothing has changed: not for you, and not for the other account. They were not told that the address is in use.`,
      'If it was you: the account with this address is this one. You can sign in to it, or delete it and ask again from the other one.',
    ],
    action: { label: 'Sign in', url: signInUrl(publicUrl) },
    footnote: 'If it was not you, you need not do anything.',
  }),
  confirmMessage: ({ token }, publicUrl) => ({
    subject: 'Confirm your message',
    paragraphs: [
      'Hello,',
      'somebody, hopefully you, wrote to the operator of this site and named this address. The message is sent when you confirm it. The link works once and is valid for 24 hours.',
    ],
    action: { label: 'See the message', url: confirmMessageUrl(token, publicUrl) },
    footnote: 'If you did not write, you need not do anything: nothing is sent.',
  }),
  contactMessage: ({ name, email, message, confirmed }) => ({
    subject: `Message from ${name}`,
    paragraphs: [`${name} <${email}> wrote by the contact form:`],
    quote: message,
    footnote: `An answer to this mail goes to the person who wrote. ${confirmed === 'yes' ? 'They confirmed the address by a link.' : 'The address was not verified by the form.'}`,
    replyTo: email,
  }),
  twitchRestricted: ({ name, channel, rules }, publicUrl) => ({
    subject: `Keepsake can no longer see your channel ${channel}`,
    paragraphs: [
      `Hello ${name},`,
      `Twitch no longer lets Keepsake see the channel ${channel}: a permission was taken back or the link has ended. ${pausedRules(Number(rules))} Watch time is not counted meanwhile.`,
      'What you have promised stands. Connect Twitch again in your profile, and everything goes on.',
    ],
    action: { label: 'Open profile', url: profileUrl(publicUrl) },
    footnote: 'This mail is about your account itself, so it comes whatever you chose about news.',
  }),
  deliveredWithoutPoints: ({ name, viewer, item, rule, ruleId }, publicUrl) => ({
    subject: `${viewer} has ${item} and the channel points too`,
    paragraphs: [
      `Hello ${name},`,
      `you gave ${viewer} the channel points for “${rule}” back on Twitch. The trade offer with ${item} was accepted before it could be taken back, so the reward stays claimed, and the viewer has both.`,
      'To end a promise and keep the item, give the points back before the viewer accepts the offer.',
    ],
    action: { label: 'Open the rule', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'This mail is about your own items, so it comes whatever you chose about news.',
  }),
  rewardPromised: ({ name, item, channel, rule, claimUntilMs, proof, fingerprint }, publicUrl) => ({
    subject: `A reward is yours: ${item}`,
    paragraphs: [
      `Hello ${name},`,
      `you have met “${rule}” on the channel ${channel}, and ${item} is yours.`,
      `Claim it before ${moment(claimUntilMs, 'en')} UTC; afterwards it goes to the next viewer.`,
      ...(proof && fingerprint
        ? [
            `It was drawn for you. Everybody can check the draw: ${proofUrl(proof, publicUrl)}`,
            `Keep this mail: the fingerprint of the draw is ${fingerprint}, and nothing of this draw or of any before it can be changed without it becoming another.`,
          ]
        : []),
    ],
    action: { label: 'Claim reward', url: rewardsUrl(publicUrl) },
    footnote: 'Keepsake never asks for your items or your password.',
  }),
};
