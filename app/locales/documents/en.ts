import { cookies } from './en/cookies.ts';
import { faq } from './en/faq.ts';
import { privacy } from './en/privacy.ts';
import { terms } from './en/terms.ts';

export const documents = { cookies, faq, privacy, terms };
