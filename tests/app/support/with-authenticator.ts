import { eq } from 'drizzle-orm';
import { verified } from '#app/middleware/guards.server.ts';
import { action as enableAction } from '#app/routes/account/authenticator.tsx';
import { action as beginAction } from '#app/routes/account/begin-authenticator.ts';
import { database } from '#app/services/database.server.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { totpAt } from '#domain/identity/second-factor/totp.ts';
import type { Visitor } from './visitor.ts';

/** Returns the user whose session a browser has. */
export async function userOf(visitor: Visitor): Promise<string> {
  const [session] = await (await database()).read
    .select({ userId: sessions.userId })
    .from(sessions)
    .where(eq(sessions.tokenHash, hashOf(visitor.sessionToken())));
  return session?.userId ?? '';
}

/** The code that somebody's app shows now. */
export async function codeOf(userId: string): Promise<string> {
  const [app] = await (await database()).read
    .select({ secret: authenticators.secret })
    .from(authenticators)
    .where(eq(authenticators.userId, userId));
  return totpAt(app?.secret ?? '', Date.now());
}

/** Accepts the present codes of somebody's app once more, as if half a minute had passed. */
export async function halfAMinuteLater(userId: string): Promise<void> {
  await (await database()).transaction(async (tx) => {
    await tx.update(authenticators).set({ lastStep: 0 }).where(eq(authenticators.userId, userId));
  });
}

/** Makes a secret for an app, as its owner does before scanning it. */
export async function beginApp(visitor: Visitor): Promise<{ userId: string }> {
  await visitor.call(beginAction, '/profile/second-factor/begin', { form: {}, guard: verified });
  return { userId: await userOf(visitor) };
}

/** Turns an app on in this browser, as its owner does. */
export async function turnAppOn(visitor: Visitor): Promise<{ userId: string; recoveryCodes: string[] }> {
  const { userId } = await beginApp(visitor);
  const form = { code: await codeOf(userId) };
  const { body } = await visitor.call(enableAction, '/profile/second-factor/app', { form, guard: verified });
  await halfAMinuteLater(userId);
  return { userId, recoveryCodes: body.recoveryCodes };
}
