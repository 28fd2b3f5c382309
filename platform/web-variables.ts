import { z } from 'zod';
import {
  type ConfigurationFault,
  type ConfigurationPlan,
  type ConfigurationValues,
  faultOf,
} from './configuration.ts';
import { folder, isLoopback, longSecret, webAddress } from './configuration-checks.ts';
import { bareHost, EVERY_ADDRESS } from './listen-address.ts';
import { findPublicUrlFault, processVariables, watchVariables } from './shared-variables.ts';
import { trustedProxiesOf } from './trusted-proxies.ts';

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
  STEAM_APPLIED_IMAGE_URL: {
    about:
      "Where images of stickers, patches and charms on items are loaded from. Unset: Steam's own address, `https://cdn.steamstatic.com/apps/730/icons/econ/`, or nowhere if `STEAM_IMAGE_URL` is set to another than Steam's; they are then drawn by their kind.",
    check: folder.optional(),
    example: 'https://cdn.steamstatic.com/apps/730/icons/econ/',
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
      "Set to `true` behind one reverse proxy that adds the visitor's address at the end of X-Forwarded-For (nginx, Caddy and Traefik do). Behind several, such as a CDN and a proxy: their number, or the networks that they are in, with commas between.",
    check: z
      .string()
      .default('false')
      .refine(
        (text) => trustedProxiesOf(text) !== null,
        'must be true, false, a number of proxies from 0 to 10, or networks such as 10.0.0.0/8,fd00::/8',
      ),
    example: 'true',
  },
  HSTS_SUBDOMAINS: {
    about:
      'Whether browsers are told for a year to open every subdomain of the host in `PUBLIC_URL` by https alone as well. They are always told so of the host itself.',
    check: either('off', 'on').default('off'),
    example: 'off',
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
    ...findPublicUrlFault(given),
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

/**
 * The address at which the web process listens: as given, or loopback for a local trial, or every address. Undefined is
 * every address that this machine has, with IPv6 or without.
 */
export function hostOfWeb({
  HOST,
  PUBLIC_URL,
}: {
  HOST?: string | undefined;
  PUBLIC_URL?: string | undefined;
}) {
  if (HOST) return bareHost(HOST) === EVERY_ADDRESS ? undefined : bareHost(HOST);
  const isTrial = !PUBLIC_URL || (URL.canParse(PUBLIC_URL) && isLoopback(new URL(PUBLIC_URL).hostname));
  return isTrial ? '127.0.0.1' : undefined;
}
