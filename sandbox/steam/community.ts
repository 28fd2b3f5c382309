import { type Endpoint, html } from './http.ts';
import { inventoryEndpoint } from './inventory.ts';
import { mobileConfirmationEndpoints } from './mobile-confirmations.ts';
import { tradePageEndpoints } from './trade-pages.ts';

/**
 * The page to which Steam redirects users who are not signed in; the packages recognize its title and script.
 */
const loginEndpoint: Endpoint = {
  method: 'GET',
  path: /^\/login(\/.*)?$/,
  target: 'any',
  answer: () =>
    html('<html><head><title>Sign In</title></head><body><script>g_steamID = false;</script></body></html>'),
};

/** The pages of steamcommunity.com that the packages use. */
export const communityEndpoints: Endpoint[] = [
  inventoryEndpoint,
  ...mobileConfirmationEndpoints,
  ...tradePageEndpoints,
  loginEndpoint,
];
