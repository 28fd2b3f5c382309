import { emailAddress } from '#domain/identity/email/email-address.ts';
import { describeFaults, type Environment, readConfiguration, readSecrets } from '#platform/configuration.ts';
import { isLoopback } from '#platform/configuration-checks.ts';
import { processValues, sharedSecretFiles } from '#platform/shared-variables.ts';
import { trustedProxiesOf } from '#platform/trusted-proxies.ts';
import { captchaSettingsOf, findWebFaults, hostOfWeb, webVariables } from '#platform/web-variables.ts';

/**
 * The value of Strict-Transport-Security, or null: browsers apply that of localhost to every port and program of their
 * machine, and other subdomains may have no certificate.
 */
function hstsOf({ protocol, hostname }: URL, withSubdomains: boolean): string | null {
  if (protocol !== 'https:' || isLoopback(hostname)) return null;
  return `max-age=31536000${withSubdomains ? '; includeSubDomains' : ''}`;
}

/** Where items' pictures come from elsewhere, as from a proxy for privacy, no visitor is sent to Steam for others. */
const appliedImagesBeside = ({ hostname }: URL): URL | null =>
  hostname.endsWith('.steamstatic.com') ? new URL('https://cdn.steamstatic.com/apps/730/icons/econ/') : null;

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
  const captcha = captchaSettingsOf(given);
  const faults = findWebFaults(given);
  if (faults.length > 0 || captcha === null) return { ok: false as const, faults };
  return {
    ok: true as const,
    values: {
      ...shared,
      port: given.PORT,
      host: hostOfWeb({ HOST: given.HOST, PUBLIC_URL: given.PUBLIC_URL?.href }),
      publicUrl,
      secure: publicUrl.protocol === 'https:',
      hsts: hstsOf(publicUrl, given.HSTS_SUBDOMAINS === 'on'),
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
        appliedImageUrl: given.STEAM_APPLIED_IMAGE_URL ?? appliedImagesBeside(imageUrl),
        communityUrl: given.STEAM_COMMUNITY_URL,
      },
      captcha,
      operatorAccount: given.OPERATOR_ACCOUNT ? emailAddress(given.OPERATOR_ACCOUNT) : null,
      paidDrawsAllowed: given.PAID_DRAWS === 'allow',
      watchedAtOnce: given.WATCHED_AT_ONCE,
      proxies: trustedProxiesOf(given.TRUST_PROXY) ?? { hops: 0 },
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

/** The host name that people know this site by. */
export const siteHost = (): string => config().publicUrl.hostname;
