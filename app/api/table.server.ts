import { config } from '#app/config.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { accountEndpoints } from './endpoints/account.server.ts';
import { billingEndpoints } from './endpoints/billing.server.ts';
import { channelEndpoints } from './endpoints/channels.server.ts';
import { correctionEndpoints } from './endpoints/corrections.server.ts';
import { dashboardEndpoints } from './endpoints/dashboard.server.ts';
import { drawEndpoints } from './endpoints/draws.server.ts';
import { entranceEndpoints } from './endpoints/entrance.server.ts';
import { base } from './endpoints/fields.ts';
import { guestEndpoints } from './endpoints/guests.server.ts';
import { identityEndpoints } from './endpoints/identity.server.ts';
import { profileEndpoints } from './endpoints/profile.server.ts';
import { raffleEndpoints } from './endpoints/raffles.server.ts';
import { rewardEndpoints } from './endpoints/rewards.server.ts';
import { ruleEndpoints } from './endpoints/rules.server.ts';
import { sessionEndpoints } from './endpoints/session.server.ts';
import { itemEndpoints, transferEndpoints } from './endpoints/trading.server.ts';
import { openApiDocument } from './open-api.ts';
import { resourceKinds } from './resources.ts';

/** Documentation endpoints. */
export const openApiPath = `${base}/openapi.json`;

const documentEndpoints = [
  endpoint({
    method: 'GET',
    path: openApiPath,
    name: 'getOpenApi',
    access: 'anyone',
    answers: { data: 'openApi' },
    async handle() {
      return Response.json(describeApi(), { headers: { 'Cache-Control': 'public, max-age=300' } });
    },
  }),
];

/**
 * All endpoints by area: routing, validation, the OpenAPI document and the documentation page are made from this
 * table.
 */
export const areas: Record<string, readonly Endpoint[]> = {
  session: [...sessionEndpoints, ...entranceEndpoints],
  account: [...accountEndpoints, ...identityEndpoints, ...profileEndpoints],
  rules: [...ruleEndpoints, ...correctionEndpoints],
  draws: drawEndpoints,
  raffles: raffleEndpoints,
  items: itemEndpoints,
  transfers: transferEndpoints,
  rewards: rewardEndpoints,
  channels: [...channelEndpoints, ...guestEndpoints, ...dashboardEndpoints],
  billing: billingEndpoints,
  documents: documentEndpoints,
};

export const table: readonly Endpoint[] = Object.values(areas).flat();

/** This instance's OpenAPI document. */
export const describeApi = () =>
  openApiDocument(areas, resourceKinds, {
    url: config().publicUrl.origin,
    sessionCookie: sessionCookieName(),
  });
