import { z } from 'zod';
import {
  type ConfigurationPlan,
  describeFaults,
  type Environment,
  keptSecret,
  readConfiguration,
} from '#domain/configuration.ts';
import {
  hexKey,
  isLoopback,
  logLevel,
  longSecret,
  origin,
  port,
  postgresAddress,
  webAddress,
} from '#domain/configuration-checks.ts';

const folder = webAddress.refine((url) => url.pathname.endsWith('/'), 'must end with a slash');

const schema = z.object({
  PORT: port.default(3000),
  HOST: z.string().optional(),
  PUBLIC_URL: origin.optional(),
  KEEPSAKE_DATA_DIR: z.string().default('data'),
  DATABASE_URL: postgresAddress.optional(),
  BOT_URL: webAddress.default(new URL('http://127.0.0.1:3001')),
  BOT_SECRET: longSecret.optional(),
  ENCRYPTION_KEY: hexKey.optional(),
  SESSION_SECRET: longSecret.optional(),
  TWITCH_CLIENT_ID: z.string().optional(),
  TWITCH_CLIENT_SECRET: z.string().optional(),
  TWITCH_AUTH_URL: webAddress.default(new URL('https://id.twitch.tv/oauth2')),
  TWURPLE_MOCK_API_PORT: port.optional(),
  STEAM_OPENID_URL: webAddress.default(new URL('https://steamcommunity.com/openid/login')),
  STEAM_IMAGE_URL: folder.default(new URL('https://community.fastly.steamstatic.com/economy/image/')),
  CAPTCHA_PROVIDER: z
    .enum(['altcha', 'turnstile'], { message: 'must be altcha or turnstile' })
    .default('altcha'),
  CAPTCHA_SITE_KEY: z.string().optional(),
  CAPTCHA_SECRET: z.string().optional(),
  PAID_DRAWS: z.enum(['refuse', 'allow'], { message: 'must be refuse or allow' }).default('refuse'),
  OPERATOR_EMAIL: z.email('must be a mail address').optional(),
  KEEPSAKE_CLOCK_URL: webAddress.optional(),
  LOG_LEVEL: logLevel.default('info'),
  TRUST_PROXY: z.enum(['true', 'false'], { message: 'must be true or false' }).default('false'),
});

const plan: ConfigurationPlan<typeof schema> = {
  schema,
  examples: {
    PORT: '3000',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://keepsake.example',
    KEEPSAKE_DATA_DIR: '/var/lib/keepsake',
    DATABASE_URL: 'postgres://keepsake:password@localhost/keepsake',
    BOT_URL: 'http://127.0.0.1:3001',
    BOT_SECRET: 'a line of at least 32 characters',
    ENCRYPTION_KEY: 'what `openssl rand -hex 32` prints',
    SESSION_SECRET: 'what `openssl rand -hex 32` prints',
    TWITCH_CLIENT_ID: 'the client id of your application at dev.twitch.tv',
    TWITCH_CLIENT_SECRET: 'the client secret of your application at dev.twitch.tv',
    TWITCH_AUTH_URL: 'https://id.twitch.tv/oauth2',
    TWURPLE_MOCK_API_PORT: '3011',
    STEAM_OPENID_URL: 'https://steamcommunity.com/openid/login',
    STEAM_IMAGE_URL: 'https://community.fastly.steamstatic.com/economy/image/',
    CAPTCHA_PROVIDER: 'altcha',
    CAPTCHA_SITE_KEY: 'the site key of your widget at dash.cloudflare.com',
    CAPTCHA_SECRET: 'the secret key of your widget at dash.cloudflare.com',
    PAID_DRAWS: 'refuse',
    OPERATOR_EMAIL: 'you@keepsake.example',
    KEEPSAKE_CLOCK_URL: 'http://127.0.0.1:3015',
    LOG_LEVEL: 'info',
    TRUST_PROXY: 'true',
  },
  secrets: [
    'DATABASE_URL',
    'BOT_SECRET',
    'ENCRYPTION_KEY',
    'SESSION_SECRET',
    'TWITCH_CLIENT_SECRET',
    'CAPTCHA_SECRET',
  ],
};

type CaptchaSettings =
  | { provider: 'altcha' }
  | { provider: 'turnstile'; siteKey: string; secret: string }
  | { provider: null; missing: 'CAPTCHA_SITE_KEY' | 'CAPTCHA_SECRET' };

/** The captcha that is asked for, or which of its variables is missing. */
function captchaOf(given: z.output<typeof schema>): CaptchaSettings {
  const { CAPTCHA_PROVIDER, CAPTCHA_SITE_KEY: siteKey, CAPTCHA_SECRET: secret } = given;
  if (CAPTCHA_PROVIDER === 'altcha') return { provider: 'altcha' };
  if (!siteKey) return { provider: null, missing: 'CAPTCHA_SITE_KEY' };
  if (!secret) return { provider: null, missing: 'CAPTCHA_SECRET' };
  return { provider: 'turnstile', siteKey, secret };
}

/**
 * Checks the variables of the web process. Without PUBLIC_URL it is a local trial: it listens on loopback
 * only. Secrets that are not given are kept in the data folder.
 */
export function readWebConfiguration(environment: Environment) {
  const outcome = readConfiguration(plan, environment);
  if (!outcome.ok) return outcome;
  const given = outcome.values;
  const publicUrl = given.PUBLIC_URL ?? new URL(`http://localhost:${given.PORT}`);
  const local = isLoopback(publicUrl.hostname);
  if (!isLoopback(given.BOT_URL.hostname) && given.BOT_SECRET === undefined) {
    const problem = 'is not set, but BOT_URL leaves this machine';
    return {
      ok: false as const,
      faults: [{ variable: 'BOT_SECRET', problem, example: `BOT_SECRET=${plan.examples.BOT_SECRET}` }],
    };
  }
  const captcha = captchaOf(given);
  if (captcha.provider === null) {
    const variable = captcha.missing;
    const problem = 'is not set, but CAPTCHA_PROVIDER is turnstile';
    return {
      ok: false as const,
      faults: [{ variable, problem, example: `${variable}=${plan.examples[variable]}` }],
    };
  }
  return {
    ok: true as const,
    values: {
      port: given.PORT,
      host: given.HOST ?? (local ? '127.0.0.1' : '0.0.0.0'),
      publicUrl,
      secure: publicUrl.protocol === 'https:',
      dataFolder: given.KEEPSAKE_DATA_DIR,
      databaseUrl: given.DATABASE_URL ?? null,
      botUrl: given.BOT_URL,
      botSecret: given.BOT_SECRET ?? null,
      encryptionKey: given.ENCRYPTION_KEY ?? keptSecret(given.KEEPSAKE_DATA_DIR, 'encryption-key'),
      sessionSecret: given.SESSION_SECRET ?? keptSecret(given.KEEPSAKE_DATA_DIR, 'session-secret'),
      twitch: {
        clientId: given.TWITCH_CLIENT_ID ?? null,
        clientSecret: given.TWITCH_CLIENT_SECRET ?? null,
        authUrl: given.TWITCH_AUTH_URL,
        // The same variable as Twurple's, which the bot speaks through, so that both meet the same Twitch.
        apiUrl: given.TWURPLE_MOCK_API_PORT
          ? new URL(`http://localhost:${given.TWURPLE_MOCK_API_PORT}/mock/`)
          : new URL('https://api.twitch.tv/helix/'),
      },
      steam: { openidUrl: given.STEAM_OPENID_URL, imageUrl: given.STEAM_IMAGE_URL },
      captcha,
      paidDrawsAllowed: given.PAID_DRAWS === 'allow',
      operatorEmail: given.OPERATOR_EMAIL ?? null,
      clockUrl: given.KEEPSAKE_CLOCK_URL ?? null,
      logLevel: given.LOG_LEVEL,
      trustProxy: given.TRUST_PROXY === 'true',
    },
  };
}

export type WebConfiguration = Extract<ReturnType<typeof readWebConfiguration>, { ok: true }>['values'];

let read: WebConfiguration | null = null;

/** The configuration of this process, read once. Faults end the process: it could only do harm without. */
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

/** A server that nobody told otherwise serves people, and React is several times quicker when it knows. */
export function assumeProduction(): void {
  process.env.NODE_ENV ??= 'production';
}
