import { z } from 'zod';
import {
  type ConfigurationPlan,
  type ConfigurationValues,
  describeFaults,
  type Environment,
  faultOf,
  readConfiguration,
  readOrCreateSecret,
} from '#platform/configuration.ts';
import { folder, isLoopback, longSecret, webAddress } from '#platform/configuration-checks.ts';
import { processValues, processVariables } from '#platform/shared-variables.ts';

const either = <Word extends string>(...words: [Word, Word]) =>
  z.enum(words, { message: `must be ${words.join(' or ')}` });

const plan = {
  ...processVariables,
  HOST: { check: z.string().optional(), example: '127.0.0.1' },
  BOT_URL: { check: webAddress.default(new URL('http://127.0.0.1:3001')), example: 'http://127.0.0.1:3001' },
  SESSION_SECRET: {
    check: longSecret.optional(),
    example: 'what `openssl rand -hex 32` prints',
    secret: true,
  },
  STEAM_OPENID_URL: {
    check: webAddress.default(new URL('https://steamcommunity.com/openid/login')),
    example: 'https://steamcommunity.com/openid/login',
  },
  STEAM_COMMUNITY_URL: {
    check: folder.default(new URL('https://steamcommunity.com/')),
    example: 'https://steamcommunity.com/',
  },
  TWITCH_SITE_URL: {
    check: folder.default(new URL('https://www.twitch.tv/')),
    example: 'https://www.twitch.tv/',
  },
  CAPTCHA_PROVIDER: { check: either('altcha', 'turnstile').default('altcha'), example: 'altcha' },
  CAPTCHA_SITE_KEY: {
    check: z.string().optional(),
    example: 'the site key of your widget at dash.cloudflare.com',
  },
  CAPTCHA_SECRET: {
    check: z.string().optional(),
    example: 'the secret key of your widget at dash.cloudflare.com',
    secret: true,
  },
  PAID_DRAWS: { check: either('refuse', 'allow').default('refuse'), example: 'refuse' },
  TRUST_PROXY: { check: either('true', 'false').default('false'), example: 'true' },
} as const satisfies ConfigurationPlan;

type CaptchaSettings =
  | { provider: 'altcha' }
  | { provider: 'turnstile'; siteKey: string; secret: string }
  | { provider: null; missing: 'CAPTCHA_SITE_KEY' | 'CAPTCHA_SECRET' };

/** The configured captcha, or the name of its missing variable. */
function captchaOf(given: ConfigurationValues<typeof plan>): CaptchaSettings {
  const { CAPTCHA_PROVIDER, CAPTCHA_SITE_KEY: siteKey, CAPTCHA_SECRET: secret } = given;
  if (CAPTCHA_PROVIDER === 'altcha') return { provider: 'altcha' };
  if (!siteKey) return { provider: null, missing: 'CAPTCHA_SITE_KEY' };
  if (!secret) return { provider: null, missing: 'CAPTCHA_SECRET' };
  return { provider: 'turnstile', siteKey, secret };
}

/**
 * Validates the variables of the web process. Without PUBLIC_URL it is a local trial and listens on loopback only.
 * Missing secrets are generated in the data folder.
 */
export function readWebConfiguration(environment: Environment) {
  const outcome = readConfiguration(plan, environment);
  if (!outcome.ok) return outcome;
  const given = outcome.values;
  const { publicUrl, twitch, imageUrl, ...shared } = processValues(given);
  const missing = (variable: keyof typeof plan, why: string) => ({
    ok: false as const,
    faults: [faultOf(plan, variable, `is not set, but ${why}`)],
  });
  if (!isLoopback(given.BOT_URL.hostname) && given.BOT_SECRET === undefined)
    return missing('BOT_SECRET', 'BOT_URL leaves this machine');
  if (shared.billing && shared.billing.webhookSecret === null)
    return missing('STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY is');
  const captcha = captchaOf(given);
  if (captcha.provider === null) return missing(captcha.missing, 'CAPTCHA_PROVIDER is turnstile');
  return {
    ok: true as const,
    values: {
      ...shared,
      port: given.PORT,
      host: given.HOST ?? (isLoopback(publicUrl.hostname) ? '127.0.0.1' : '0.0.0.0'),
      publicUrl,
      secure: publicUrl.protocol === 'https:',
      botUrl: given.BOT_URL,
      botSecret: given.BOT_SECRET ?? null,
      sessionSecret: given.SESSION_SECRET ?? readOrCreateSecret(given.KEEPSAKE_DATA_DIR, 'session-secret'),
      twitch: {
        ...twitch,
        siteUrl: given.TWITCH_SITE_URL,
        // Twurple reads the same variable in the bot, so both processes use the same Twitch.
        apiUrl: given.TWURPLE_MOCK_API_PORT
          ? new URL(`http://localhost:${given.TWURPLE_MOCK_API_PORT}/mock/`)
          : new URL('https://api.twitch.tv/helix/'),
      },
      steam: {
        openidUrl: given.STEAM_OPENID_URL,
        imageUrl,
        communityUrl: given.STEAM_COMMUNITY_URL,
      },
      captcha,
      paidDrawsAllowed: given.PAID_DRAWS === 'allow',
      trustProxy: given.TRUST_PROXY === 'true',
    },
  };
}

export type WebConfiguration = Extract<ReturnType<typeof readWebConfiguration>, { ok: true }>['values'];

let read: WebConfiguration | null = null;

/** This process's configuration, read once. A fault ends the process. */
export function config(): WebConfiguration {
  if (read) return read;
  const outcome = readWebConfiguration(process.env);
  if (!outcome.ok) {
    console.error(describeFaults(outcome.faults));
    process.exit(1);
  }
  read = outcome.values;
  return read;
}

/** Sets production as the default: React is several times faster in it. */
export function assumeProduction(): void {
  process.env.NODE_ENV ??= 'production';
}
