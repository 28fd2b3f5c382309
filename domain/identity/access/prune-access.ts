import { isNull } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { accessRequests, attempts, extensionCodes, openStreams, spentCaptchas } from '#db/schema/access.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { mails } from '#db/schema/outbox.ts';
import { authenticators, passkeyChallenges, pendingSignIns } from '#db/schema/second-factor.ts';
import { emailTokens, sessions } from '#db/schema/user.ts';
import { SETUP_LIFETIME_MS } from '#domain/identity/second-factor/begin-authenticator.ts';
import { deleteOld } from '#domain/kernel/delete-old.ts';
import { day, hour } from '#domain/kernel/time.ts';

/** An expired link is stored for this long, so that opening it late shows that it expired. */
const LINK_RETENTION_MS = 30 * day;
/** Time that mails are stored. By then only the fact that an address received one is left. */
const MAIL_RETENTION_MS = 30 * day;

/**
 * Deletes expired rows: limits, streams, captchas and codes (system time); sessions, requests for access, sign-ins, apps and
 * challenges that nobody completed, mails and their links, and unconfirmed messages (domain time). In short transactions.
 */
export async function pruneAccess(db: Database, nowMs: number, systemMs: number): Promise<void> {
  const linkMs = nowMs - LINK_RETENTION_MS;
  const codeMs = Math.min(nowMs, systemMs) - LINK_RETENTION_MS;
  const expired = (table: Expiring, key: PgColumn, beforeMs: number) =>
    deleteOld(db, table, { key: [key], atMs: table.expiresAtMs, beforeMs });
  await expired(spentCaptchas, spentCaptchas.solutionHash, systemMs);
  await expired(extensionCodes, extensionCodes.codeHash, codeMs);
  await expired(accessRequests, accessRequests.deviceCodeHash, nowMs - day);
  await expired(sessions, sessions.tokenHash, nowMs);
  await expired(pendingSignIns, pendingSignIns.tokenHash, nowMs);
  await expired(emailTokens, emailTokens.tokenHash, linkMs);
  await deleteOld(db, attempts, { key: [attempts.key], atMs: attempts.endsAtMs, beforeMs: systemMs });
  await deleteOld(db, openStreams, {
    key: [openStreams.key, openStreams.process],
    atMs: openStreams.untilMs,
    // The database's clock may be another one.
    beforeMs: systemMs - hour,
  });
  await deleteOld(db, passkeyChallenges, {
    key: [passkeyChallenges.heldBy, passkeyChallenges.purpose],
    atMs: passkeyChallenges.expiresAtMs,
    beforeMs: nowMs,
  });
  await deleteOld(db, authenticators, {
    key: [authenticators.userId],
    atMs: authenticators.createdAtMs,
    beforeMs: nowMs - SETUP_LIFETIME_MS,
    among: isNull(authenticators.confirmedAtMs),
  });
  await deleteOld(db, mails, {
    key: [mails.id],
    atMs: mails.createdAtMs,
    beforeMs: nowMs - MAIL_RETENTION_MS,
  });
  await deleteOld(db, contactMessages, {
    key: [contactMessages.id],
    atMs: contactMessages.linkExpiresAtMs,
    beforeMs: linkMs,
    among: isNull(contactMessages.confirmedAtMs),
  });
}

type Expiring = PgTable & { expiresAtMs: PgColumn };
