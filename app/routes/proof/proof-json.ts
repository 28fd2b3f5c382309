import { createHash } from 'node:crypto';
import { data } from 'react-router';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit } from '#app/services/form-reply.server.ts';
import { waitSeconds } from '#app/services/rate-limits.server.ts';
import { exportProof } from '#domain/draw/export-proof.ts';
import { getRuleProof, type RuleProof } from '#domain/draw/get-proof.ts';
import type { Route } from './+types/proof-json.ts';

/** A closed rule makes no more draws and has revealed its seed, so its published data no longer changes. */
const CLOSED_SECONDS = 7 * 24 * 60 * 60;

/** Serves a page of a rule's published draws, for checking them with the script. */
export async function loader({ request, params: { ruleId }, context }: Route.LoaderArgs) {
  const db = await database();
  const after = placeIn(new URL(request.url).searchParams.get('after'));
  const proof = after === null ? null : await getRuleProof(db, ruleId);
  if (!proof || after === null || after > proof.draws) throw data(null, { status: 404 });
  const caching = keepingHeaders(proof, after, Boolean(request.headers.get('Cookie')));
  if (request.headers.get('If-None-Match')?.includes(caching.ETag))
    return new Response(null, { status: 304, headers: caching });
  const wait = await waitSeconds('proofByAddress', context.get(clientAddressContext));
  if (wait > 0) throw data(null, tooManyInit(wait));
  const page = await exportProof(db, { proof, after });
  const next = page.next === null ? null : `/proof/${ruleId}.json?after=${page.next}`;
  const name = `draws-${ruleId}-${String(after + 1).padStart(6, '0')}.json`;
  return new Response(`${JSON.stringify({ ...page, next })}\n`, {
    headers: {
      ...caching,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `inline; filename="${name}"`,
    },
  });
}

/** The draw after which a page begins; null if it is not a draw number. */
function placeIn(after: string | null): number | null {
  if (after === null) return 0;
  return /^(0|[1-9]\d{0,8})$/.test(after) ? Number(after) : null;
}

/** A version of the data: the rule's facts and its latest fingerprint tell whether any page has changed. */
function keepingHeaders(proof: RuleProof, after: number, personal: boolean) {
  const version = createHash('sha256')
    .update(JSON.stringify([proof, after]))
    .digest('base64url');
  // The response may renew a session cookie, which a shared cache must not store.
  const whose = personal ? 'private' : 'public';
  const howLong = proof.state === 'closed' ? `max-age=${CLOSED_SECONDS}, immutable` : 'no-cache';
  return { ETag: `W/"${version}"`, 'Cache-Control': `${whose}, ${howLong}` };
}
