import { emailAddress } from '#domain/account/email/email-address.ts';
import {
  type ConfigurationValues,
  describeFaults,
  type Environment,
  faultOf,
  readConfiguration,
  readSecrets,
} from '#platform/configuration.ts';
import { isLoopback } from '#platform/configuration-checks.ts';
import { processValues, sharedSecretFiles } from '#platform/shared-variables.ts';
import { webVariables } from '#platform/web-variables.ts';

type CaptchaSettings =
  | { provider: 'altcha' }
  | { provider: 'turnstile'; siteKey: string; secret: string }
  | { provider: null; missing: 'CAPTCHA_SITE_KEY' | 'CAPTCHA_SECRET' };

/** The configured captcha, or the name of its missing variable. */
function captchaOf(given: ConfigurationValues<typeof webVariables>): CaptchaSettings {
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
  const outcome = readConfiguration(webVariables, environment);
  if (!outcome.ok) return outcome;
  const given = outcome.values;
  const secrets = readSecrets(webVariables, given, {
    ...sharedSecretFiles,
    SESSION_SECRET: 'session-secret',
  });
  if (!secrets.ok) return secrets;
  const { publicUrl, twitch, imageUrl, ...shared } = processValues(given, secrets.values);
  const missing = (variable: keyof typeof webVariables, why: string) => ({
    ok: false as const,
    faults: [faultOf(webVariables, variable, `is not set, but ${why}`)],
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
      sessionSecret: secrets.values.SESSION_SECRET,
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
      operatorAccount: given.OPERATOR_ACCOUNT ? emailAddress(given.OPERATOR_ACCOUNT) : null,
      paidDrawsAllowed: given.PAID_DRAWS === 'allow',
      watchedAtOnce: given.WATCHED_AT_ONCE,
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
