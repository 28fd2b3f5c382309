import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import {
  type Credential,
  filterValidCredentials,
} from '#domain/identity/session/filter-valid-credentials.ts';

/** Questions of one turn of the event loop, such as those of all streams at a heartbeat. */
let gathering: { credentials: Credential[]; answer: Promise<Set<Credential>> } | null = null;

/** Returns whether the credential that once gave access is still valid. Concurrent checks share one query. */
export async function isCredentialValid(credential: Credential): Promise<boolean> {
  gathering ??= gather();
  gathering.credentials.push(credential);
  return (await gathering.answer).has(credential);
}

function gather(): NonNullable<typeof gathering> {
  const credentials: Credential[] = [];
  const turn = new Promise<void>((resolve) => setImmediate(resolve));
  const answer = turn.then(async () => {
    gathering = null;
    return filterValidCredentials((await database()).read, credentials, await domainNow());
  });
  return { credentials, answer };
}

/** The session of a request; null if it has none. */
export async function sessionOf(request: Request, userId: string): Promise<Credential | null> {
  const token = await sessionToken(request);
  return token ? { by: 'session', id: hashOf(token), userId } : null;
}
