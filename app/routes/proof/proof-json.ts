import { data } from 'react-router';
import { database } from '#app/services/database.server.ts';
import { exportProof } from '#domain/draw/export-proof.ts';
import type { Route } from './+types/proof-json.ts';

/** Hands out what is published of a rule's draws, for everybody who wants to check them with the script. */
export async function loader({ params }: Route.LoaderArgs) {
  const proof = await exportProof(await database(), params.ruleId);
  if (!proof) throw data(null, { status: 404 });
  return new Response(`${JSON.stringify(proof, null, 2)}\n`, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `inline; filename="draws-${proof.rule.id}.json"`,
      'Cache-Control': 'no-cache',
    },
  });
}
