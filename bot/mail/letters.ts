import { en } from '#bot/mail/letters/en.ts';
import { ru } from '#bot/mail/letters/ru.ts';
import type { Locale } from '#db/schema/user.ts';
import type { MailTexts } from './letter.ts';

/** Every mail in every language. */
export const letters: Record<Locale, MailTexts> = { en, ru };
