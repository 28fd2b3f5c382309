import type { PaidTier, Product } from '#db/schema/billing.ts';
import {
  billingUrl,
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
  transfersUrl,
  verifyUrl,
} from '../letter.ts';

const products: Record<Product, string> = { streamer: 'Streamer premium', viewer: 'Viewer premium' };
const tiers: Record<PaidTier, string> = { basic: 'Basic', expert: 'Expert', pro: 'Pro' };

const pausedRules = (count: number): string =>
  count === 0 ? '' : `${count === 1 ? 'One rule is' : `${count} rules are`} paused. `;

export const en: MailTexts = {
  verifyEmail: ({ name, token }, publicUrl) => ({
    subject: 'Confirm your email address',
    paragraphs: [
      `Hello ${name},`,
      'Please confirm that this address is yours. The link is valid for 24 hours.',
    ],
    action: { label: 'Confirm address', url: verifyUrl(token, publicUrl) },
    footnote: 'If you did not request this, you can ignore this email.',
  }),
  resetPassword: ({ name, email, token }, publicUrl) => ({
    subject: 'Set a new password',
    paragraphs: [
      `Hello ${name},`,
      'We received a request to reset your password. The link works once and is valid for one hour. Setting a new password signs you out of all browsers and revokes your API tokens and companion app codes.',
    ],
    action: { label: 'Set a new password', url: resetUrl(token, email, publicUrl) },
    footnote: 'If you did not request this, you can ignore this email. Your password stays the same.',
  }),
  changeEmail: ({ name, email, token }, publicUrl) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      `Hello ${name},`,
      `Please confirm that ${email} is yours. Until you do, we keep using your old address. The link is valid for 24 hours.`,
    ],
    action: { label: 'Confirm new address', url: verifyUrl(token, publicUrl) },
    footnote: 'If you did not request this, you can ignore this email.',
  }),
  emailChangeAsked: ({ name, email }, publicUrl) => ({
    subject: 'Request to change your email address',
    paragraphs: [
      `Hello ${name},`,
      `We received a request to change your account’s address to ${email}. We sent a confirmation link there. Until it is opened, we keep using this address.`,
      'If this was not you, set a new password now. That cancels the request and signs out all browsers.',
    ],
    action: { label: 'Set a new password', url: forgotUrl(publicUrl) },
    footnote: 'If this was you, there is nothing else to do.',
  }),
  emailChanged: ({ name, email }, publicUrl) => ({
    subject: 'Your email address was changed',
    paragraphs: [
      `Hello ${name},`,
      `Your account now uses ${email}. This is the last email we send to this address.`,
    ],
    action: { label: 'This was not me', url: contactUrl(publicUrl) },
    footnote: 'If this was you, there is nothing else to do.',
  }),
  emailWanted: ({ name, email }, publicUrl) => ({
    subject: 'Someone tried to use your email address',
    paragraphs: [
      `Hello ${name},`,
      `Someone tried to change the address of another account to ${email}. The address belongs to your account, so nothing has changed for either account, and we did not tell them that it is in use.`,
      'If this was you, you already have an account with this address. Sign in to it, or delete it and try again from the other account.',
    ],
    action: { label: 'Sign in', url: signInUrl(publicUrl) },
    footnote: 'If this was not you, you can ignore this email.',
  }),
  confirmMessage: ({ token }, publicUrl) => ({
    subject: 'Confirm your message',
    paragraphs: [
      'Hello,',
      'We received a message for the operator of this site from this address. It will be sent once you confirm it. The link works once and is valid for 24 hours.',
    ],
    action: { label: 'Review message', url: confirmMessageUrl(token, publicUrl) },
    footnote: 'If you did not write it, you can ignore this email. The message will not be sent.',
  }),
  contactMessage: ({ name, email, message, confirmed }) => ({
    subject: `Message from ${name}`,
    paragraphs: [`${name} <${email}> wrote through the contact form:`],
    quote: message,
    footnote: `Replies to this email go to the sender. ${confirmed === 'yes' ? 'They confirmed their address.' : 'Their address has not been verified.'}`,
    replyTo: email,
  }),
  twitchRestricted: ({ name, channel, rules }, publicUrl) => ({
    subject: `Keepsake has lost access to your channel ${channel}`,
    paragraphs: [
      `Hello ${name},`,
      `Keepsake no longer has access to the channel ${channel}: a permission was revoked or Twitch was disconnected. ${pausedRules(Number(rules))}Watch time is not counted until you connect it again.`,
      'Promised rewards can still be claimed. Connect Twitch again in your profile to resume.',
    ],
    action: { label: 'Open profile', url: profileUrl(publicUrl) },
    footnote: 'This email is about your account, so we send it regardless of your notification settings.',
  }),
  deliveredWithoutPoints: ({ name, viewer, item, rule, ruleId }, publicUrl) => ({
    subject: `${viewer} has ${item} and the channel points too`,
    paragraphs: [
      `Hello ${name},`,
      `You refunded the channel points that ${viewer} spent on “${rule}”. The trade offer with ${item} was accepted before it could be cancelled, so the viewer has both the item and the points.`,
      'To take back a reward, refund the points before the viewer accepts the offer.',
    ],
    action: { label: 'Open rule', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'This email is about your items, so we send it regardless of your notification settings.',
  }),
  rewardPromised: ({ name, item, channel, rule, claimUntilMs, proof, fingerprint }, publicUrl) => ({
    subject: `A reward is yours: ${item}`,
    paragraphs: [
      `Hello ${name},`,
      `You met the conditions of “${rule}” on the channel ${channel}, and ${item} is yours.`,
      `Claim it before ${moment(claimUntilMs, 'en')} UTC, or it goes to the next viewer.`,
      ...(proof && fingerprint
        ? [
            `You won it in a draw that anyone can verify: ${proofUrl(proof, publicUrl)}`,
            `Keep this email: the fingerprint of the draw is ${fingerprint}. If anyone changes this draw or an earlier one, the fingerprint no longer matches.`,
          ]
        : []),
    ],
    action: { label: 'Claim reward', url: rewardsUrl(publicUrl) },
    footnote: 'Keepsake never asks for your items or your password.',
  }),
  claimFailed: ({ name, item, channel, rule, why }, publicUrl) => ({
    subject: `${item} was not delivered`,
    paragraphs: [
      `Hello ${name},`,
      `${claimFailures[why]} By then the time to claim was over, so ${item} from “${rule}” on the channel ${channel} went to the next viewer.`,
      'The transfer shows each step with its time.',
    ],
    action: { label: 'Open transfers', url: transfersUrl(publicUrl) },
    footnote: 'You can switch off emails about rewards in your settings.',
  }),
  depositReversed: ({ name, item, channel, rule }, publicUrl) => ({
    subject: `${item} is no longer available`,
    paragraphs: [
      `Hello ${name},`,
      `${item} from “${rule}” on the channel ${channel} was promised to you. The trade that had brought it to us was reversed on Steam, so we no longer have it and the promise ended.`,
      'You did nothing wrong. Channel points that you spent on it are refunded.',
    ],
    action: { label: 'Open rewards', url: rewardsUrl(publicUrl) },
    footnote: 'You can switch off emails about rewards in your settings.',
  }),
  paymentFailed: ({ name, product, tier, untilMs }, publicUrl) => ({
    subject: 'Your payment failed',
    paragraphs: [
      `Hello ${name},`,
      `The payment for ${products[product]} ${tiers[tier]} failed. Your plan stays until ${moment(untilMs, 'en')} UTC. If it is still unpaid then, you are on Free: rules over its limit pause, and promises stay valid.`,
      'You can change your card on the billing page.',
    ],
    action: { label: 'Open billing', url: billingUrl(publicUrl) },
    footnote: 'This email is about your account, so we send it regardless of your notification settings.',
  }),
  paymentReversed: ({ why, customer, subscription }) => ({
    subject: why === 'dispute' ? 'A payment was disputed' : 'A payment was refunded',
    paragraphs: [
      why === 'dispute'
        ? `The customer ${customer} disputed a payment for the subscription ${subscription}. The subscription was cancelled, and the plan has ended.`
        : `A payment of the customer ${customer} for the subscription ${subscription} was refunded in full. The subscription was cancelled, and the plan has ended.`,
      ...(why === 'dispute' ? ['Stripe asks for evidence until a date that its dashboard names.'] : []),
    ],
    footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
};

const claimFailures = {
  refused: 'Steam refused our trade offer.',
  declined: 'The trade offer was declined.',
  notAccepted: 'The trade offer was not accepted in time.',
  unanswered: 'Twitch did not say in time whether you still met the conditions.',
} as const;
