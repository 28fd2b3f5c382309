import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureCertificates, steamHosts } from '#sandbox/steam/certificates.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-certificates-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('The first start creates certificates for Steam’s hosts only, and later ones keep them', async () => {
  const made = await ensureCertificates(folder);
  const leaf = new X509Certificate(made.cert);
  for (const host of steamHosts) expect(leaf.checkHost(host)).toBe(host);
  expect(leaf.checkHost('example.com')).toBeUndefined();
  expect(leaf.verify(new X509Certificate(made.ca).publicKey)).toBe(true);
  expect(await ensureCertificates(folder)).toEqual(made);
});

test('The only key on disk is the leaf’s, readable by its owner only', async () => {
  const made = await ensureCertificates(folder);
  expect((await readdir(folder)).toSorted()).toEqual(['ca.pem', 'steam.key', 'steam.pem']);
  expect((await stat(join(folder, 'steam.key'))).mode & 0o777).toBe(0o600);
  const key = createPrivateKey(await readFile(join(folder, 'steam.key')));
  expect(new X509Certificate(made.cert).checkPrivateKey(key)).toBe(true);
  expect(new X509Certificate(made.ca).checkPrivateKey(key)).toBe(false);
});

test('A leaf of another authority is replaced', async () => {
  const first = await ensureCertificates(folder);
  await rm(join(folder, 'ca.pem'));
  const second = await ensureCertificates(folder);
  await writeFile(join(folder, 'ca.pem'), first.ca);
  const third = await ensureCertificates(folder);
  expect(new Set([first.cert, second.cert, third.cert]).size).toBe(3);
});
