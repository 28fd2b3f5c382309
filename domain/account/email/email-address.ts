import { domainToASCII, domainToUnicode } from 'node:url';
import { eq, type SQL, sql } from 'drizzle-orm';
import { users } from '#db/schema/user.ts';

/**
 * The one form in which addresses are stored and compared: people do not remember which letters they wrote large, and
 * a domain in other letters than Latin (`почта.рф`) is written by some programs as mail servers know it (`xn--…`). It is
 * kept as people read it; what sends mails translates it.
 */
export const emailAddress = (text: string): string => {
  const typed = text.trim().normalize('NFC');
  const at = typed.lastIndexOf('@') + 1;
  const domain = typed.slice(at);
  return (typed.slice(0, at) + (domainToUnicode(domainToASCII(domain)) || domain)).toLowerCase();
};

/** Finds an account by its address through the unique index on it. */
export const hasEmail = (text: string): SQL => eq(sql`lower(${users.email})`, emailAddress(text));
