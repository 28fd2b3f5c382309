import { and, isNull, lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { attempts, extensionCodes, spentCaptchas } from '#db/schema/access.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { mails } from '#db/schema/outbox.ts';
import { authenticators, passkeyChallenges, pendingSignIns } from '#db/schema/second-factor.ts';
import { emailTokens, sessions } from '#db/schema/user.ts';
import { SETUP_LIFETIME_MS } from '#domain/account/second-factor/begin-authenticator.ts';
import { day } from '#domain/time.ts';

/** How long an expired link is stored, so that opening it late shows that it expired. */
const LINK_RETENTION_MS = 30 * day;
/** How long mails are stored. By then only the fact that an address received one is left. */
const MAIL_RETENTION_MS = 30 * day;

/**
 * Deletes expired rows: limits, captchas and codes (system time); sessions, sign-ins, apps and challenges that nobody
 * completed, mails and their links, and unconfirmed messages (domain time).
 */
export async function pruneAccess(db: Database, nowMs: number, systemMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(attempts).where(lt(attempts.endsAtMs, systemMs));
    await tx.delete(spentCaptchas).where(lt(spentCaptchas.expiresAtMs, systemMs));
    const late = Math.min(nowMs, systemMs) - LINK_RETENTION_MS;
    await tx.delete(extensionCodes).where(lt(extensionCodes.expiresAtMs, late));
    await tx.delete(sessions).where(lt(sessions.expiresAtMs, nowMs));
    await tx.delete(pendingSignIns).where(lt(pendingSignIns.expiresAtMs, nowMs));
    await tx.delete(passkeyChallenges).where(lt(passkeyChallenges.expiresAtMs, nowMs));
    await tx
      .delete(authenticators)
      .where(
        and(isNull(authenticators.confirmedAtMs), lt(authenticators.createdAtMs, nowMs - SETUP_LIFETIME_MS)),
      );
    await tx.delete(mails).where(lt(mails.createdAtMs, nowMs - MAIL_RETENTION_MS));
    await tx
      .delete(contactMessages)
      .where(
        and(
          lt(contactMessages.linkExpiresAtMs, nowMs - LINK_RETENTION_MS),
          isNull(contactMessages.confirmedAtMs),
        ),
      );
    await tx.delete(emailTokens).where(lt(emailTokens.expiresAtMs, nowMs - LINK_RETENTION_MS));
  });
}
