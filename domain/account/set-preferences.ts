import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type Locale, type Theme, users } from '#db/schema/user.ts';

export interface Preferences {
  locale?: Locale;
  theme?: Theme;
  notifyByMail?: boolean;
  hidesName?: boolean;
}

/** Stores a user's preferences; omitted fields are unchanged. */
export async function setPreferences(
  db: Database,
  input: { userId: string; preferences: Preferences },
): Promise<void> {
  const { locale, theme, notifyByMail, hidesName } = input.preferences;
  const chosen = {
    ...(locale !== undefined && { locale }),
    ...(theme !== undefined && { theme }),
    ...(notifyByMail !== undefined && { notifyByMail }),
    ...(hidesName !== undefined && { hidesName }),
  };
  if (Object.keys(chosen).length === 0) return;
  await db.transaction(async (tx) => {
    await tx.update(users).set(chosen).where(eq(users.id, input.userId));
  });
}
