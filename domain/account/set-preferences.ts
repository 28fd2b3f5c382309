import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type Locale, type Theme, users } from '#db/schema/user.ts';
import type { MailKind } from '#domain/outbox/mail-kinds.ts';

export interface Preferences {
  locale?: Locale;
  theme?: Theme;
  notifyByMail?: boolean;
  hidesName?: boolean;
  /** The kinds of notifications that are not mailed. */
  mutedMails?: readonly MailKind[];
  timeZone?: string;
}

/** Stores a user's preferences; omitted fields are unchanged. */
export async function setPreferences(
  db: Database,
  input: { userId: string; preferences: Preferences },
): Promise<void> {
  const { locale, theme, notifyByMail, hidesName, mutedMails, timeZone } = input.preferences;
  const chosen = {
    ...(locale !== undefined && { locale }),
    ...(theme !== undefined && { theme }),
    ...(notifyByMail !== undefined && { notifyByMail }),
    ...(hidesName !== undefined && { hidesName }),
    ...(mutedMails !== undefined && { mutedMails: mutedMails.join(' ') }),
    ...(timeZone !== undefined && { timeZone }),
  };
  if (Object.keys(chosen).length === 0) return;
  await db.transaction(async (tx) => {
    await tx.update(users).set(chosen).where(eq(users.id, input.userId));
  });
}
