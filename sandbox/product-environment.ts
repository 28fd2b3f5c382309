import { join } from 'node:path';
import type { Application } from './open-worlds.ts';
import type { SandboxUrls } from './start-servers.ts';
import { productSecret } from './stripe/seed.ts';
import type { StripeWorld } from './stripe/world.ts';

/** The demo world's account that the product uses in chats. */
export const chatAccountLogin = 'keepsake_demo_bot';

/** Exactly the variables that point the product at this sandbox. */
export function productEnvironment(parts: {
  directory: string;
  caFile: string;
  urls: SandboxUrls;
  application: Application;
  stripe: StripeWorld;
}) {
  const { directory, caFile, urls, application, stripe } = parts;
  const { port } = new URL(urls.twitch);
  return {
    TWITCH_CLIENT_ID: application.clientId,
    TWITCH_CLIENT_SECRET: application.clientSecret,
    TWITCH_BOT_LOGIN: chatAccountLogin,
    TWITCH_AUTH_URL: `${urls.twitch}/auth`,
    TWITCH_IRC_URL: `ws://localhost:${port}`,
    TWURPLE_MOCK_API_PORT: port,
    STEAM_BOTS_FILE: join(directory, 'steam-bots.json'),
    STEAM_OPENID_URL: `${urls.steamHttp}/openid/login`,
    STEAM_HTTP_PROXY: urls.steamProxy,
    // Links to Steam and Twitch lead to the panel, which plays both for a person.
    STEAM_COMMUNITY_URL: `${urls.panel}/steam/`,
    TWITCH_SITE_URL: `${urls.panel}/twitch/`,
    STEAM_IMAGE_URL: `${urls.steamHttp}/images/`,
    STEAM_APPLIED_IMAGE_URL: `${urls.steamHttp}/images/applied/`,
    NODE_EXTRA_CA_CERTS: caFile,
    SMTP_URL: urls.smtp,
    KEEPSAKE_CLOCK_URL: urls.clock,
    STRIPE_SECRET_KEY: stripe.state.secretKey,
    STRIPE_WEBHOOK_SECRET: productSecret(stripe),
    STRIPE_API_URL: urls.stripe,
    PUSH_SERVICE_URL: urls.push,
  };
}

export type ProductEnvironment = ReturnType<typeof productEnvironment>;
