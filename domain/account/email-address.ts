import { eq, type SQL, sql } from 'drizzle-orm';
import { users } from '#db/schema/user.ts';

/** The one form in which addresses are stored and compared: people do not remember which letters they wrote large. */
export const emailAddress = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** Finds an account by its address through the unique index on it. */
export const hasEmail = (text: string): SQL => eq(sql`lower(${users.email})`, emailAddress(text));
