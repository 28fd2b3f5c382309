import { z } from 'zod';
import {
  type ConfigurationFault,
  type ConfigurationPlan,
  type ConfigurationValues,
  faultOf,
} from './configuration.ts';
import { folder, isLoopback, longSecret, webAddress } from './configuration-checks.ts';
import { processVariables, watchVariables } from './shared-variables.ts';

const either = <Word extends string>(...words: [Word, Word]) =>
  z.enum(words, { message: `must be ${words.join(' or ')}` });

/** The variables of the web process. */
export const webVariables = {
  ...processVariables,
  HOST: {
    about:
      'The address the web process listens on. Unset: loopback while `PUBLIC_URL` is unset or local, else every address.',
    check: z.string().optional(),
    example: '127.0.0.1',
  },
  BOT_URL: {
    about:
      "Where web reaches the bot's API. Unset under the supervisor: this machine, at `BOT_PORT`. If it has a host name, the bot needs the same `BOT_URL`: it answers to that name, its `HOST`, `localhost` and IP addresses, and to no other name.",
    check: webAddress.default(new URL('http://127.0.0.1:3001')),
    example: 'http://127.0.0.1:3001',
  },
  SESSION_SECRET: {
    about: 'Signs cookies. Unset: created at the first start and stored in the data folder.',
    check: longSecret.optional(),
    example: 'what `openssl rand -hex 32` prints',
    secret: true,
  },
  STEAM_OPENID_URL: {
    about: "The address of Steam's sign-in.",
    check: webAddress.default(new URL('https://steamcommunity.com/openid/login')),
    example: 'https://steamcommunity.com/openid/login',
  },
  STEAM_COMMUNITY_URL: {
    about: 'The address that links to Steam begin with.',
    check: folder.default(new URL('https://steamcommunity.com/')),
    example: 'https://steamcommunity.com/',
  },
  TWITCH_SITE_URL: {
    about: 'The address that links to Twitch begin with.',
    check: folder.default(new URL('https://www.twitch.tv/')),
    example: 'https://www.twitch.tv/',
  },
  OPERATOR_ACCOUNT: {
    about:
      'The email address of the account that sees the [operator’s page](self-hosting.md#the-operators-page) `/operator`, once it is verified. Unset: there is no such page.',
    check: z.email('must be a mail address').optional(),
    example: 'you@keepsake.example',
  },
  CAPTCHA_PROVIDER: {
    about: "The captcha: ALTCHA runs on this site and works offline; Turnstile is Cloudflare's.",
    check: either('altcha', 'turnstile').default('altcha'),
    example: 'altcha',
  },
  CAPTCHA_SITE_KEY: {
    about: 'The site key of the Turnstile widget. Required with `turnstile`.',
    check: z.string().optional(),
    example: 'the site key of your widget at dash.cloudflare.com',
  },
  CAPTCHA_SECRET: {
    about: 'The secret key of the Turnstile widget. Required with `turnstile`.',
    check: z.string().optional(),
    example: 'the secret key of your widget at dash.cloudflare.com',
    secret: true,
  },
  ...watchVariables,
  PAID_DRAWS: {
    about:
      'Whether random rewards are permitted for a channel subscription or channel points. Read [fair draws](fair-draws.md) first.',
    check: either('refuse', 'allow').default('refuse'),
    example: 'refuse',
  },
  TRUST_PROXY: {
    about:
      "Set to `true` behind one reverse proxy that adds the visitor's address at the end of X-Forwarded-For (nginx, Caddy and Traefik do).",
    check: either('true', 'false').default('false'),
    example: 'true',
  },
} as const satisfies ConfigurationPlan;

type WebValues = ConfigurationValues<typeof webVariables>;

/** The configured captcha; null if it is not complete. */
export function captchaSettingsOf(
  given: WebValues,
): { provider: 'altcha' } | { provider: 'turnstile'; siteKey: string; secret: string } | null {
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey, CAPTCHA_SECRET: secret } = given;
  if (provider === 'altcha') return { provider };
  return siteKey && secret ? { provider, siteKey, secret } : null;
}

/** Finds faults in the combination of values that are each valid. */
export function findWebFaults(given: WebValues): ConfigurationFault[] {
  const missing = (variable: keyof typeof webVariables, why: string) =>
    given[variable] === undefined ? [faultOf(webVariables, variable, `is not set, but ${why}`)] : [];
  return [
    ...(isLoopback(given.BOT_URL.hostname) ? [] : missing('BOT_SECRET', 'BOT_URL leaves this machine')),
    ...(given.STRIPE_SECRET_KEY ? missing('STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY is') : []),
    ...(given.CAPTCHA_PROVIDER === 'turnstile'
      ? [
          ...missing('CAPTCHA_SITE_KEY', 'CAPTCHA_PROVIDER is turnstile'),
          ...missing('CAPTCHA_SECRET', 'CAPTCHA_PROVIDER is turnstile'),
        ]
      : []),
  ];
}
