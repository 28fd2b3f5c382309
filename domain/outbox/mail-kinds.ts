import type { MailTemplate } from '#domain/outbox/queue-mail.ts';

/** The notifications that can be switched off one by one. Mail about the account itself is always sent. */
export const mailKinds = ['promised', 'reminder', 'delivered', 'claimFailed', 'itemsUsable'] as const;
export type MailKind = (typeof mailKinds)[number];

const kinds: Partial<Record<MailTemplate, MailKind>> = {
  rewardPromised: 'promised',
  claimReminder: 'reminder',
  rewardDelivered: 'delivered',
  claimFailed: 'claimFailed',
  depositReversed: 'claimFailed',
  itemLost: 'claimFailed',
  itemsUsable: 'itemsUsable',
};

/** The kind of a template; null if it cannot be switched off. */
export const mailKindOf = (template: string): MailKind | null => kinds[template as MailTemplate] ?? null;

const needPlan: Record<MailKind, boolean> = {
  promised: false,
  reminder: false,
  delivered: true,
  claimFailed: false,
  itemsUsable: false,
};

/**
 * Returns whether mails of a kind are part of the plans with notifications about rewards. The others go to
 * everybody: without them a viewer loses a reward, or a streamer never learns that items can be given.
 */
export const needsPlan = (kind: MailKind): boolean => needPlan[kind];

/** The kinds that are stored as muted. */
export const mutedIn = (stored: string): MailKind[] => {
  const muted = stored.split(' ');
  return mailKinds.filter((kind) => muted.includes(kind));
};

/**
 * Returns whether mails of this template are about a promise that waits to be claimed: a viewer who never
 * gets one may lose the reward.
 */
export const asksToClaim = (template: string): boolean =>
  template === 'rewardPromised' || template === 'claimReminder';
