import type { PaidTier, Product } from '#db/schema/billing.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import type { StopReason } from '#db/schema/reward.ts';
import {
  billingUrl,
  channelUrl,
  confirmMessageUrl,
  contactUrl,
  custodyUrl,
  forgotUrl,
  type MailTexts,
  moment,
  money,
  profileUrl,
  proofUrl,
  resetUrl,
  rewardsUrl,
  rulesUrl,
  ruleUrl,
  signInUrl,
  transfersUrl,
  verifyUrl,
} from '../letter.ts';
import { accountChanged } from './en-account-changes.ts';
import { toOperator } from './en-operator.ts';

const products: Record<Product, string> = { streamer: 'Streamer premium', viewer: 'Viewer premium' };
const tiers: Record<PaidTier, string> = { basic: 'Basic', expert: 'Expert', pro: 'Pro' };

const stopReasons: Record<StopReason, string> = {
  accountStolen: 'somebody else had used their account',
  ruleAbused: 'bots, or several accounts of one person',
  mistake: 'the rule or its reward was a mistake',
};

/** Advice to the streamer for a chat that takes no lines. */
const chatAdvice: Record<ChatFault, string> = {
  banned: 'The bot is banned or timed out there. Unban it with /unban, then make it a moderator with /mod.',
  suspended: 'Twitch says that the channel is suspended or does not exist.',
  restricted:
    'The chat restricts messages: followers only, slow mode, AutoMod or the like. Make the bot a moderator with /mod, and it can write.',
  tooFast:
    'The bot would have to send messages faster than Twitch allows. Make it a moderator with /mod, and it can.',
  notAllowed:
    'The bot answers in more chats than Twitch lets it join without asking. Let it into yours in the channel settings, or make it a moderator with /mod.',
  shared:
    'The chat is shared with other channels, where the bot’s messages would show too, so it sends none. Let the bot into yours in the channel settings, or make it a moderator with /mod, and its messages stay in your chat; if that is done already, the operator of this site has to connect the bot’s account again.',
  notConnected:
    'None of the bot’s accounts is connected to Twitch. Only the operator of this site can connect one; you need not do anything.',
};

const pausedRules = (count: number): string =>
  count === 0 ? '' : `${count === 1 ? 'One rule is' : `${count} rules are`} paused. `;

/** Mail to an unverified address has no name in its greeting. */
const greeting = (name?: string): string => (name === undefined ? 'Hello,' : `Hello ${name},`);

export const en: MailTexts = {
  verifyEmail: ({ token }, publicUrl) => ({
    subject: 'Confirm your email address',
    paragraphs: [greeting(), 'Please confirm that this address is yours. The link is valid for 24 hours.'],
    action: { label: 'Confirm address', url: verifyUrl(token, publicUrl) },
    footnote: 'If you did not request this, you can ignore this email.',
  }),
  resetPassword: ({ name, email, token }, publicUrl) => ({
    subject: 'Set a new password',
    paragraphs: [
      greeting(name),
      'We received a request to reset your password. The link works once and is valid for one hour. Setting a new password signs you out of all browsers and revokes your API tokens and companion app codes.',
    ],
    action: { label: 'Set a new password', url: resetUrl(token, email, publicUrl) },
    footnote: 'If you did not request this, you can ignore this email. Your password stays the same.',
  }),
  changeEmail: ({ email, token }, publicUrl) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      greeting(),
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
      greeting(name),
      `Someone tried to change the address of another account to ${email}. The address belongs to your account, so nothing has changed for either account, and we did not tell them that it is in use.`,
      'If this was you, you already have an account with this address. Sign in to it, or delete it and try again from the other account.',
    ],
    action: { label: 'Sign in', url: signInUrl(publicUrl) },
    footnote: 'If this was not you, you can ignore this email.',
  }),
  accountChanged,
  confirmMessage: ({ token }, publicUrl) => ({
    subject: 'Confirm your message',
    paragraphs: [
      'Hello,',
      'We received a message for the operator of this site from this address. It will be sent once you confirm it. The link works once and is valid for 24 hours.',
    ],
    action: { label: 'Review message', url: confirmMessageUrl(token, publicUrl) },
    footnote: 'If you did not write it, you can ignore this email. The message will not be sent.',
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
  channelMissing: ({ name, channel, rules }, publicUrl) => ({
    subject: `Twitch no longer shows your channel ${channel}`,
    paragraphs: [
      `Hello ${name},`,
      `Twitch no longer shows the account ${channel}: it is suspended or deleted. ${pausedRules(Number(rules))}Promised rewards can still be claimed.`,
      'When Twitch shows the account again, the rules resume by themselves. If Keepsake needs your permission again then, we will write to you.',
    ],
    action: { label: 'Open profile', url: profileUrl(publicUrl) },
    footnote: 'This email is about your account, so we send it regardless of your notification settings.',
  }),
  noSubscribers: ({ name, channel }, publicUrl) => ({
    subject: `Nobody can subscribe to your channel ${channel} yet`,
    paragraphs: [
      `Hello ${name},`,
      `A rule on ${channel} asks for a subscription. According to Twitch, the channel is neither an affiliate nor a partner, and only those can have subscribers. For now, no viewer can meet this rule.`,
      'Once the channel qualifies, Keepsake reads its subscribers automatically. Until then, use a rule without this condition.',
    ],
    action: { label: 'Open rules', url: rulesUrl(publicUrl) },
    footnote: 'This email is about your rules, so we send it regardless of your notification settings.',
  }),
  noChannelPoints: ({ name, channel, rule, ruleId }, publicUrl) => ({
    subject: `Nobody can redeem “${rule}” on ${channel} yet`,
    paragraphs: [
      `Hello ${name},`,
      `The rule “${rule}” on ${channel} asks for channel points. Twitch says that the channel is neither affiliate nor partner, and only their channels have custom rewards. No viewer can meet this rule for now.`,
      'Once the channel qualifies, Keepsake creates the custom reward automatically. Until then, a rule without this condition works.',
    ],
    action: { label: 'Open rule', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'This email is about your rules, so we send it regardless of your notification settings.',
  }),
  chatTrouble: ({ name, channel, fault, sinceMs, timeZone }, publicUrl) => ({
    subject: `Keepsake’s bot cannot write in your chat on ${channel}`,
    paragraphs: [
      `Hello ${name},`,
      `No message of the bot has got through in the chat of ${channel} since ${moment(sinceMs, 'en', timeZone)}. Until one does, viewers may get no answers to their commands there, and earned rewards are not announced. Watch time goes on counting.`,
      chatAdvice[fault],
    ],
    action: { label: 'Open channel settings', url: channelUrl(publicUrl) },
    footnote: 'This email is about your channel, so we send it regardless of your notification settings.',
  }),
  rulePaused: ({ name, channel, rule, ruleId }, publicUrl) => ({
    subject: `“${rule}” has been paused for a day`,
    paragraphs: [
      `Hello ${name},`,
      `You paused the rule “${rule}” on ${channel} a day ago. It promises nothing until you resume it.`,
      'Your viewers keep their progress and their places in line. Whoever meets the rule meanwhile gets in line when you resume it.',
    ],
    action: { label: 'Open rule', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'This email is about your rules, so we send it regardless of your notification settings.',
  }),
  rewardWordsRefused: ({ name, channel, rule, ruleId }, publicUrl) => ({
    subject: `Twitch refuses the custom reward of “${rule}”`,
    paragraphs: [
      `Hello ${name},`,
      `The rule “${rule}” on ${channel} asks for channel points. Twitch’s AutoMod refuses the words of its custom reward, also without the names of the items. Nobody can redeem it for now.`,
      'Close this rule and create one with another name. Keepsake tries again every hour.',
    ],
    action: { label: 'Open rule', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'This email is about your rules, so we send it regardless of your notification settings.',
  }),
  deliveredWithoutPoints: ({ name, viewer, item, rule, ruleId }, publicUrl) => ({
    subject: `${viewer} got both ${item} and a refund of the points`,
    paragraphs: [
      `Hello ${name},`,
      `You refunded the channel points that ${viewer} spent on “${rule}”. The trade offer with ${item} was accepted before it could be cancelled, so the viewer has both the item and the points.`,
      'To take back a reward, refund the points before the viewer accepts the offer.',
    ],
    action: { label: 'Open rule', url: ruleUrl(ruleId, publicUrl) },
    footnote: 'This email is about your items, so we send it regardless of your notification settings.',
  }),
  rewardPromised: (values, publicUrl) => {
    const { name, item, channel, rule, claimUntilMs, sendsFromMs, proof, fingerprint, timeZone } = values;
    const until = moment(claimUntilMs, 'en', timeZone);
    return {
      subject: `A reward is yours: ${item}`,
      preview: `Until ${until}. You give nothing.`,
      headline: `Your reward is ready, ${name}`,
      paragraphs: [
        `You met the conditions of “${rule}” on the channel ${channel}. The item is set aside for you until ${until}. After that it goes to the next viewer.`,
        ...(sendsFromMs
          ? [
              `You can claim it now. This streamer’s items are sent after a delay: yours from ${moment(sendsFromMs, 'en', timeZone)}.`,
            ]
          : []),
        ...(proof
          ? [
              `You won it in a draw that anyone can verify: ${proofUrl(proof, publicUrl)}`,
              'Keep this email: if anyone changes this draw or an earlier one, the fingerprint below no longer matches.',
            ]
          : []),
      ],
      action: { label: 'Claim reward', url: rewardsUrl(publicUrl) },
      facts: [
        ['Channel', channel],
        ['Claim until', until],
        ['You give', 'nothing'],
      ],
      footnote:
        'You get this email because you earned a reward. Keepsake never asks for your items or your password.',
      ...(fingerprint && { fingerprint: { label: 'Fingerprint of the draw', value: fingerprint } }),
    };
  },
  claimReminder: ({ item, channel, rule, claimUntilMs, hours = '6', timeZone }, publicUrl) => {
    const until = moment(claimUntilMs, 'en', timeZone);
    const left = hours === '1' ? '1 hour' : `${hours} hours`;
    return {
      subject: `${left} left to claim ${item}`,
      preview: `Until ${until}.`,
      headline: `${left} left, until ${until}`,
      paragraphs: [
        'Claiming takes a minute: press the button, compare the code, accept on Steam. If you don’t want the item, just ignore this email.',
      ],
      action: { label: 'Claim reward', url: rewardsUrl(publicUrl) },
      facts: [
        ['Channel', channel],
        ['Rule', rule],
        ['Claim until', until],
      ],
      footnote: 'This is the only reminder for this reward.',
    };
  },
  rewardDelivered: ({ item, channel, rule, deliveredMs, code, timeZone }, publicUrl) => {
    const at = moment(deliveredMs, 'en', timeZone);
    return {
      subject: `Delivered: ${item}`,
      preview: `In your Steam inventory since ${at}.`,
      headline: 'It’s in your Steam inventory',
      paragraphs: [
        `You accepted the trade offer on ${at}. Steam can still reverse the trade for 7 to 8 days. The transfer shows when it is final.`,
      ],
      action: { label: 'See the transfer', url: transfersUrl(publicUrl) },
      facts: [
        ['Channel', channel],
        ['Rule', rule],
        ['Code', code],
        ['You gave', 'nothing'],
      ],
      footnote: 'You get this email because a reward reached you.',
    };
  },
  itemsUsable: ({ count = '1' }, publicUrl) => ({
    subject: count === '1' ? 'One of your items is unlocked' : `${count} of your items are unlocked`,
    headline: count === '1' ? 'An item is unlocked' : `${count} items are unlocked`,
    paragraphs: [
      'The lock on your deposited items has ended. You can now add them to a rule, or return them to your Steam account.',
    ],
    action: { label: 'See your items', url: custodyUrl(publicUrl) },
    footnote: 'You get this email because you deposited these items.',
  }),
  claimFailed: ({ item, channel, rule, why, claimUntilMs, timeZone }, publicUrl) => {
    const facts: [string, string][] = [
      ['Channel', channel],
      ['Rule', rule],
    ];
    const footnote = 'You get this email because you claimed a reward.';
    if (!claimUntilMs)
      return {
        subject: `${item} was not delivered`,
        paragraphs: [
          `${claimFailures[why]} By then the time to claim was over, so the reward is no longer reserved for you.`,
          'The transfer shows each step with its time.',
        ],
        action: { label: 'Open transfers', url: transfersUrl(publicUrl) },
        facts,
        footnote,
      };
    const until = moment(claimUntilMs, 'en', timeZone);
    const toProfile = why === 'refused';
    return {
      subject: `Your claim did not go through: ${item}`,
      preview: `The reward is still yours until ${until}.`,
      headline: claimFailures[why],
      paragraphs: [
        `Nothing has moved, and the item is still set aside for you. ${toProfile ? 'Check that your trade link works and that your Steam account can trade, then claim again.' : 'Claim it again when you have a minute to accept the offer.'}`,
      ],
      action: toProfile
        ? { label: 'Check trade link', url: profileUrl(publicUrl) }
        : { label: 'Claim again', url: rewardsUrl(publicUrl) },
      facts: [...facts, ['Claim until', until]],
      footnote,
    };
  },
  depositReversed: ({ name, item, channel, rule }, publicUrl) => ({
    subject: `${item} is no longer available`,
    paragraphs: [
      `Hello ${name},`,
      `${item} from “${rule}” on the channel ${channel} was promised to you. The trade in which we received it was reversed on Steam, so we no longer have the item, and your reward was recalled.`,
      'It is not your fault. If you spent channel points on it, they are refunded.',
    ],
    action: { label: 'Open rewards', url: rewardsUrl(publicUrl) },
    footnote: 'You get this email because the reward was promised to you.',
  }),
  itemLost: ({ name, item, channel, rule }, publicUrl) => ({
    subject: `${item} is no longer available`,
    paragraphs: [
      `Hello ${name},`,
      `${item} from “${rule}” on the channel ${channel} was promised to you. The item is missing from our bot’s inventory and was not found again, so your reward was recalled.`,
      'It is not your fault. If you spent channel points on it, they are refunded.',
    ],
    action: { label: 'Open rewards', url: rewardsUrl(publicUrl) },
    footnote: 'You get this email because the reward was promised to you.',
  }),
  claimStopped: ({ name, item, channel, rule, reason }, publicUrl) => ({
    subject: `${channel} stopped your claim of ${item}`,
    paragraphs: [
      `Hello ${name},`,
      `${item} from “${rule}” on the channel ${channel} was promised to you. The streamer stopped the claim. Their reason: ${stopReasons[reason]}.`,
      'The reward is no longer reserved for you. If you spent channel points on it, they are refunded. The channel’s public page counts stopped claims and their reasons.',
    ],
    action: { label: 'Open rewards', url: rewardsUrl(publicUrl) },
    footnote: 'You get this email because the reward was promised to you.',
  }),
  stoppedTooLate: ({ name, viewer, item, rule }, publicUrl) => ({
    subject: `${viewer} accepted ${item} before the claim was stopped`,
    paragraphs: [
      `Hello ${name},`,
      `You asked to stop the claim of ${item} from “${rule}”. ${viewer} accepted the trade offer before it could be cancelled, so the item was delivered.`,
    ],
    action: { label: 'Open transfers', url: transfersUrl(publicUrl) },
    footnote: 'This email is about your items, so we send it regardless of your notification settings.',
  }),
  paymentFailed: ({ name, product, tier, untilMs }, publicUrl) => ({
    subject: 'Your payment failed',
    paragraphs: [
      `Hello ${name},`,
      `The payment for ${products[product]} ${tiers[tier]} failed. Your plan stays until ${moment(untilMs, 'en', undefined)}. If it is still unpaid then, you move to Free${product === 'streamer' ? ': rules over its limit are paused, and promises stay valid' : ''}.`,
      'You can change your card on the billing page.',
    ],
    action: { label: 'Open billing', url: billingUrl(publicUrl) },
    footnote: 'This email is about your account, so we send it regardless of your notification settings.',
  }),
  trialEnds: ({ name, product, tier, period, price, currency, endsMs }, publicUrl) => ({
    subject: 'Your trial ends soon',
    paragraphs: [
      `Hello ${name},`,
      `Your trial of ${products[product]} ${tiers[tier]} ends on ${moment(endsMs, 'en', undefined)}. We then charge ${money(price, currency, 'en')} plus any tax for the first ${period}, and the same every ${period} after that.`,
      'If you do not want to go on, press “Cancel subscription” on the billing page before that: you keep the plan until the trial ends, and nothing is charged.',
    ],
    action: { label: 'Open billing', url: billingUrl(publicUrl) },
    footnote: 'This email is about your account, so we send it regardless of your notification settings.',
  }),
  ...toOperator,
};

const claimFailures = {
  refused: 'Steam refused our trade offer.',
  declined: 'The trade offer was declined.',
  notAccepted: 'The trade offer was not accepted in time.',
  delayed: 'Our bot could not confirm the trade offer in time.',
  unanswered: 'Twitch did not say in time whether you still met the conditions.',
} as const;
