import { connect } from 'node:tls';
import { day } from '#domain/kernel/time.ts';
import { trustedProxiesOf, trustsProxy } from '#platform/trusted-proxies.ts';
import { askServer, type ServerAnswer } from './ask.ts';
import type { Finding } from './finding.ts';

const EXPIRES_SOON_MS = 14 * day;
const DEADLINE_MS = 10_000;

/** Matches Node's codes for a certificate that it does not trust. */
export const tlsReason = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;

/** Opens PUBLIC_URL as a visitor does: whether this instance answers there, with a certificate and proxy headers. */
export async function examinePublicAddress(
  publicUrl: URL,
  { trustProxy, systemMs }: { trustProxy: string; systemMs: number },
): Promise<Finding[]> {
  const answer = await askServer(new URL('/healthz', publicUrl));
  const forwarded = answer.headers.get('x-keepsake-forwarded');
  // Many servers say that they are well.
  if (answer.status !== 200 || forwarded === null) return [whyNotOpen(publicUrl, answer)];
  const findings = examineForwarded(forwarded, trustProxy);
  if (publicUrl.protocol !== 'https:') return findings;
  const expiresAtMs = await certificateEndOf(publicUrl);
  return expiresAtMs === null
    ? findings
    : [...findings, ...examineCertificate(publicUrl.host, expiresAtMs, systemMs)];
}

const shared = 'Visitors share the address of a reverse proxy, and so each other’s limits.';

/**
 * Examines the number of addresses in X-Forwarded-For as it arrived: the request was sent without any, so there is one for
 * each proxy that adds one. A server of an older version says `yes` or `no`.
 */
export function examineForwarded(forwarded: string, trustProxy: string): Finding[] {
  const trusted = trustedProxiesOf(trustProxy) ?? { hops: 0 };
  const proxies = forwarded === 'yes' ? 1 : Number(forwarded) || 0;
  if (trustsProxy(trusted) && proxies === 0)
    return [
      {
        name: 'proxyHeadersMissing',
        what: `TRUST_PROXY is ${trustProxy}, but requests arrive without X-Forwarded-For.`,
        why: 'All visitors share one address, and so each other’s limits.',
        remedy:
          'Let the reverse proxy add the visitor’s address to X-Forwarded-For, or remove TRUST_PROXY if there is none.',
      },
    ];
  if (!trustsProxy(trusted) && proxies > 0)
    return [
      {
        name: 'proxyNotTrusted',
        what: `Requests arrive with X-Forwarded-For (addresses: ${forwarded}), and TRUST_PROXY is not set.`,
        why: shared,
        remedy: `Set TRUST_PROXY=${proxies === 1 ? 'true' : proxies}.`,
      },
    ];
  if (!('hops' in trusted) || forwarded === 'yes' || proxies === trusted.hops) return [];
  return [
    {
      name: 'proxiesMiscounted',
      what: `TRUST_PROXY is ${trustProxy}, and X-Forwarded-For arrives with ${proxies} addresses (see the page of the operator).`,
      why: proxies > trusted.hops ? shared : 'A visitor can forge an address, and so has no limits.',
      remedy: `Set TRUST_PROXY=${proxies}.`,
    },
  ];
}

/** Returns the finding about a certificate that ends at this time. */
export function examineCertificate(host: string, expiresAtMs: number, systemMs: number): Finding[] {
  if (expiresAtMs - systemMs >= EXPIRES_SOON_MS) return [];
  return [
    {
      name: 'tlsExpiring',
      what: `The certificate of ${host} expires on ${new Date(expiresAtMs).toISOString().slice(0, 10)}.`,
      why: 'From then on browsers, Stripe and Twitch refuse to connect.',
      remedy: 'Renew it, and see why that did not happen by itself.',
    },
  ];
}

function whyNotOpen(publicUrl: URL, { status, reason }: ServerAnswer): Finding {
  if (status === 0 && tlsReason.test(reason))
    return {
      name: 'tlsRefused',
      what: `The certificate of ${publicUrl.host} is refused (${reason}).`,
      why: 'Browsers warn of the site, and Stripe does not deliver events.',
      remedy: 'Install a valid certificate with its whole chain; Caddy does that by itself.',
    };
  return {
    name: status === 0 ? 'publicUrlUnreachable' : 'publicUrlElsewhere',
    what:
      status === 0
        ? `${publicUrl.origin} cannot be opened from here (${reason}).`
        : `${publicUrl.origin} answers with status ${status}, and not as Keepsake does.`,
    why: 'Links in mail, and the way back from Twitch, Steam and Stripe, lead there.',
    remedy: 'Start the web process, and check DNS, the firewall, the reverse proxy and PUBLIC_URL.',
  };
}

/** Reads when the certificate ends; null if it could not be read. */
function certificateEndOf({ hostname, port }: URL): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) || 443, servername: hostname });
    const end = (endMs: number | null) => {
      socket.destroy();
      resolve(endMs);
    };
    socket.setTimeout(DEADLINE_MS, () => end(null));
    socket.once('error', () => end(null));
    socket.once('secureConnect', () => end(Date.parse(socket.getPeerCertificate().valid_to) || null));
  });
}
