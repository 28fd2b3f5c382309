import { createHash } from 'node:crypto';
import { data } from 'react-router';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit } from '#app/services/forms/form-reply.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import type { Database } from '#db/database.ts';
import type { ChangePlace } from '#domain/draw/pool-changes.ts';
import { decodeCursor } from '#domain/kernel/page.ts';
import { exportChanges, exportProof } from '#domain/view/export-proof.ts';
import { getRuleProof, type RuleProof } from '#domain/view/get-proof.ts';
import type { Route } from './+types/proof-json.ts';

/** A closed rule makes no more draws. Once its promises have ended too, its published data no longer changes. */
const CLOSED_SECONDS = 7 * 24 * 60 * 60;

/**
 * Serves a page of a rule's published draws, for the script that checks them. With `changes` in the address,
 * it is a page of the changes after the draws behind `after`, up to draw `until`.
 */
export async function loader({ request, params: { ruleId }, context }: Route.LoaderArgs) {
  const db = await database();
  const asked = new URL(request.url).searchParams;
  const after = placeIn(asked.get('after'));
  const span = spanIn(asked);
  const proof = after === null || !span ? null : await getRuleProof(db, ruleId);
  if (!proof || after === null || !span || after > proof.draws) throw data(null, { status: 404 });
  const caching = keepingHeaders(proof, [after, span], Boolean(request.headers.get('Cookie')));
  if (request.headers.get('If-None-Match')?.includes(caching.ETag))
    return new Response(null, { status: 304, headers: caching });
  const wait = await waitSeconds('proofByAddress', context.get(clientAddressContext));
  if (wait > 0) throw data(null, tooManyInit(wait));
  const page = span.place
    ? await changesPage(db, ruleId, { ...span, after })
    : await drawsPage(db, proof, after);
  const name = `${span.place ? 'changes' : 'draws'}-${ruleId}-${String(after + 1).padStart(6, '0')}.json`;
  return new Response(`${JSON.stringify(page)}\n`, {
    headers: {
      ...caching,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `inline; filename="${name}"`,
    },
  });
}

async function drawsPage(db: Database, proof: RuleProof, after: number) {
  const { ruleId } = proof;
  const page = await exportProof(db, { proof, after });
  const next = page.next === null ? null : `/proof/${ruleId}.json?after=${page.next}`;
  const span = { after, upTo: page.draws.at(-1)?.number ?? after };
  return { ...page, moreChanges: changesAddress(ruleId, span, page.moreChanges), next };
}

async function changesPage(
  db: Database,
  ruleId: string,
  span: { after: number; upTo: number; place: ChangePlace | null },
) {
  const page = await exportChanges(db, { ruleId, ...span });
  return { ...page, moreChanges: changesAddress(ruleId, span, page.moreChanges) };
}

const changesAddress = (
  ruleId: string,
  { after, upTo }: { after: number; upTo: number },
  place: string | null,
) => (place === null ? null : `/proof/${ruleId}.json?after=${after}&until=${upTo}&changes=${place}`);

/**
 * Reads the draw up to which, and the cursor from which, changes are requested; null if the address is
 * malformed.
 */
function spanIn(asked: URLSearchParams): { upTo: number; place: ChangePlace | null } | null {
  const upTo = placeIn(asked.get('until'));
  const place = decodeCursor(asked.get('changes'), ['number', 'text']);
  return upTo === null || (asked.has('changes') && !place) ? null : { upTo, place };
}

/** The draw after which a page begins; null if it is not a draw number. */
function placeIn(after: string | null): number | null {
  if (after === null) return 0;
  return /^(0|[1-9]\d{0,8})$/.test(after) ? Number(after) : null;
}

/** A version of the data: the rule's facts, its latest fingerprint and its count of changes tell whether a page has changed. */
function keepingHeaders(proof: RuleProof, place: unknown[], personal: boolean) {
  const version = createHash('sha256')
    .update(JSON.stringify([proof, place]))
    .digest('base64url');
  // The response may renew a session cookie, which a shared cache must not store.
  const whose = personal ? 'private' : 'public';
  const howLong = proof.isOver ? `max-age=${CLOSED_SECONDS}, immutable` : 'no-cache';
  return { ETag: `W/"${version}"`, 'Cache-Control': `${whose}, ${howLong}` };
}
