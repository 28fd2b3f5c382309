import type { Locale } from '#db/schema/user.ts';
import type { MailTemplate, MailValues } from '#domain/outbox/queue-mail.ts';

/** What a mail says, before it is laid out. */
export interface Letter {
  subject: string;
  paragraphs: string[];
  action: { label: string; url: string };
  footnote: string;
}
type Letters = { [T in MailTemplate]: (values: MailValues[T], publicUrl: URL) => Letter };

const verifyUrl = (token: string, publicUrl: URL) =>
  new URL(`/email/verify?token=${encodeURIComponent(token)}`, publicUrl).href;
const rewardsUrl = (publicUrl: URL) => new URL('/rewardProgress', publicUrl).href;

/** A moment that reads the same wherever the mail is opened. */
const moment = (ms: string, locale: Locale) =>
  new Date(Number(ms)).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

const en: Letters = {
  verifyEmail: ({ name, token }, publicUrl) => ({
    subject: 'Confirm your e-mail address',
    paragraphs: [`Hello ${name},`, 'please confirm that this address is yours.'],
    action: { label: 'Confirm address', url: verifyUrl(token, publicUrl) },
    footnote: 'If you did not ask for this, you need not do anything.',
  }),
  rewardPromised: ({ name, item, channel, rule, claimUntilMs }, publicUrl) => ({
    subject: `A reward is yours: ${item}`,
    paragraphs: [
      `Hello ${name},`,
      `you have met “${rule}” on the channel ${channel}, and ${item} is yours.`,
      `Claim it before ${moment(claimUntilMs, 'en')} UTC; afterwards it goes to the next viewer.`,
    ],
    action: { label: 'Claim reward', url: rewardsUrl(publicUrl) },
    footnote: 'Keepsake never asks for your items or your password.',
  }),
};

const ru = {
  verifyEmail: ({ name, token }, publicUrl) => ({
    subject: 'Подтвердите адрес электронной почты',
    paragraphs: [`Здравствуйте, ${name}!`, 'Подтвердите, пожалуйста, что этот адрес принадлежит вам.'],
    action: { label: 'Подтвердить адрес', url: verifyUrl(token, publicUrl) },
    footnote: 'Если вы об этом не просили, ничего делать не нужно.',
  }),
  rewardPromised: ({ name, item, channel, rule, claimUntilMs }, publicUrl) => ({
    subject: `Награда ваша: ${item}`,
    paragraphs: [
      `Здравствуйте, ${name}!`,
      `Вы выполнили условия «${rule}» на канале ${channel}, и предмет ${item} ваш.`,
      `Заберите его до ${moment(claimUntilMs, 'ru')} UTC, иначе он достанется следующему зрителю.`,
    ],
    action: { label: 'Забрать награду', url: rewardsUrl(publicUrl) },
    footnote: 'Keepsake никогда не просит ваши предметы или пароль.',
  }),
} satisfies Letters;

export const letters: Record<Locale, Letters> = { en, ru };
