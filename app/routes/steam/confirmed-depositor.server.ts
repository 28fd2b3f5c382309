import type { RouterContextProvider } from 'react-router';
import { requireConfirmed } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { getReadiness } from '#domain/account/get-readiness.ts';

/**
 * Requires users who have deposited items to confirm who they are before they connect a Steam account,
 * because items can be returned to it. A first account of a user without items needs no more than the
 * session.
 */
export async function requireConfirmedDepositor(
  context: Readonly<RouterContextProvider>,
  userId: string,
  then: string,
): Promise<void> {
  const { hasItem } = await getReadiness(await database(), { userId });
  if (hasItem) requireConfirmed(context, then);
}
