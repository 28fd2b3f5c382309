import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { generate } from 'selfsigned';
import { writeWhole } from '../state-file.ts';

/** The hosts that the sandbox stands in for; the proxy refuses all others. */
export const steamHosts = [
  'steamcommunity.com',
  'api.steampowered.com',
  'login.steampowered.com',
  'cm1.sandbox.steamserver.net',
] as const;

export type Certificates = {
  /** The file for NODE_EXTRA_CA_CERTS, which must be set before the product's processes start. */
  caFile: string;
  ca: string;
  cert: string;
  key: string;
};

const validDays = 1825;
const renewDays = 30;
const dayMs = 86_400_000;

/**
 * Reads the folder's certificates, or creates them. The authority's private key is never written: it signs only this
 * certificate and is then discarded, so trusting the authority can never mean trusting another site.
 */
export async function ensureCertificates(directory: string): Promise<Certificates> {
  const folder = resolve(directory);
  const files = {
    ca: join(folder, 'ca.pem'),
    cert: join(folder, 'steam.pem'),
    key: join(folder, 'steam.key'),
  };
  const saved = await readCertificates(files);
  if (saved !== null) return saved;
  const made = await makeCertificates();
  await writeWhole(files.key, made.key, 0o600);
  await writeWhole(files.cert, made.cert);
  await writeWhole(files.ca, made.ca);
  return { ...made, caFile: files.ca };
}

async function readCertificates(files: {
  ca: string;
  cert: string;
  key: string;
}): Promise<Certificates | null> {
  try {
    const [ca, cert, key] = await Promise.all([
      readFile(files.ca, 'utf8'),
      readFile(files.cert, 'utf8'),
      readFile(files.key, 'utf8'),
    ]);
    return areUsable(ca, cert) ? { caFile: files.ca, ca, cert, key } : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function areUsable(ca: string, cert: string) {
  const authority = new X509Certificate(ca);
  const leaf = new X509Certificate(cert);
  const isFresh = Date.parse(leaf.validTo) > Date.now() + renewDays * dayMs;
  return isFresh && leaf.verify(authority.publicKey) && steamHosts.every((host) => leaf.checkHost(host));
}

async function makeCertificates() {
  // System time, not world time: TLS is checked against the machine's clock.
  const dates = {
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + validDays * dayMs),
  };
  const authority = await generate([{ name: 'commonName', value: 'Keepsake sandbox authority' }], {
    ...dates,
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const leaf = await generate([{ name: 'commonName', value: steamHosts[0] }], {
    ...dates,
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: steamHosts.map((value) => ({ type: 2, value })) },
    ],
  });
  return { ca: authority.cert, cert: leaf.cert, key: leaf.private };
}
