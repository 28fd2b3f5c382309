import { connect } from 'node:tls';
import { day } from '#domain/kernel/time.ts';
import { askServer, type ServerAnswer } from './ask.ts';
import type { Finding } from './finding.ts';

const EXPIRES_SOON_MS = 14 * day;
const DEADLINE_MS = 10_000;

/** Matches Node's codes for a certificate that it does not trust. */
const tlsReason = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;

/** Opens PUBLIC_URL as a visitor does: whether this instance answers there, with a certificate and proxy headers. */
export async function examinePublicAddress(
  publicUrl: URL,
  { trustsProxy, systemMs }: { trustsProxy: boolean; systemMs: number },
): Promise<Finding[]> {
  const answer = await askServer(new URL('/healthz', publicUrl));
  const forwarded = answer.headers.get('x-keepsake-forwarded');
  // Many servers say that they are well.
  if (answer.status !== 200 || forwarded === null) return [whyNotOpen(publicUrl, answer)];
  const findings: Finding[] = [];
  const isForwarded = forwarded === 'yes';
  if (trustsProxy && !isForwarded)
    findings.push({
      name: 'proxyHeadersMissing',
      what: 'TRUST_PROXY is true, but requests arrive without X-Forwarded-For.',
      why: 'All visitors share one address, and so each other’s limits.',
      remedy:
        'Let the reverse proxy add the visitor’s address to X-Forwarded-For, or remove TRUST_PROXY if there is none.',
    });
  if (!trustsProxy && isForwarded)
    findings.push({
      name: 'proxyNotTrusted',
      what: 'A reverse proxy adds X-Forwarded-For, and TRUST_PROXY is not true.',
      why: 'All visitors share the address of the reverse proxy, and so each other’s limits.',
      remedy: 'Set TRUST_PROXY=true if exactly one reverse proxy stands in front.',
    });
  if (publicUrl.protocol !== 'https:') return findings;
  const expiresAtMs = await certificateEndOf(publicUrl);
  return expiresAtMs === null
    ? findings
    : [...findings, ...examineCertificate(publicUrl.host, expiresAtMs, systemMs)];
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
