import { and, isNull, lt, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { attempts, extensionCodes, spentCaptchas } from '#db/schema/access.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { mails } from '#db/schema/outbox.ts';
import { emailTokens, sessions } from '#db/schema/user.ts';
import { day } from '#domain/time.ts';

/** How long a link stays known after its time, so that who opens it late is told that it was late. */
const LINK_RETENTION_MS = 30 * day;
/** A mail is sent or given up long before; what is left of it then is that an address got one. */
const MAIL_RETENTION_MS = 30 * day;

/**
 * Forgets what has run out: limits, captchas and codes (system time); sessions, mails and the links in them, with the
 * messages that nobody confirmed (domain time).
 */
export async function pruneAccess(db: Database, nowMs: number, systemMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(attempts).where(lt(attempts.endsAtMs, systemMs));
    await tx.delete(spentCaptchas).where(lt(spentCaptchas.expiresAtMs, systemMs));
    const late = Math.min(nowMs, systemMs) - LINK_RETENTION_MS;
    await tx.delete(extensionCodes).where(lt(extensionCodes.expiresAtMs, late));
    await tx.delete(sessions).where(lt(sessions.expiresAtMs, nowMs));
    await tx.delete(mails).where(lt(mails.createdAtMs, nowMs - MAIL_RETENTION_MS));
    await tx
      .delete(contactMessages)
      .where(
        and(
          lt(contactMessages.linkExpiresAtMs, nowMs - LINK_RETENTION_MS),
          isNull(contactMessages.confirmedAtMs),
        ),
      );
    await tx
      .delete(emailTokens)
      .where(
        or(
          lt(emailTokens.expiresAtMs, nowMs - LINK_RETENTION_MS),
          lt(emailTokens.usedAtMs, nowMs - LINK_RETENTION_MS),
        ),
      );
  });
}
