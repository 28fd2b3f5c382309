import { expect, test } from 'vitest';
import { targets } from '#extension/manifest.ts';
import { extensionFiles } from '../../tools/build-extension.ts';
import { type Packed, zip } from '../../tools/zip.ts';

const MAX_SCRIPT_BYTES = 40 * 1024;
const textOf = (files: readonly Packed[], name: string): string =>
  Buffer.from(files.find((file) => file.name === name)?.bytes ?? []).toString();

test.each(targets)('At install the extension for %s asks for nothing but storage', (target) => {
  const manifest = JSON.parse(textOf(extensionFiles(target), 'manifest.json'));
  expect(manifest.permissions).toEqual(['storage']);
  expect([manifest.host_permissions, manifest.content_scripts]).toEqual([undefined, undefined]);
  expect(manifest.optional_host_permissions).toEqual([
    'https://steamcommunity.com/*',
    'https://www.twitch.tv/*',
  ]);
});

test.each(targets)('The scripts for %s are small, whole files that load no code from elsewhere', (target) => {
  const files = extensionFiles(target);
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  const total = scripts.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  expect(total).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  for (const { name } of scripts)
    expect(textOf(files, name)).not.toMatch(/\beval\(|new Function|importScripts|\bimport\(|innerHTML/);
});

test('The same files give the same package, in whichever order they come', () => {
  const files = extensionFiles('firefox');
  expect(zip(files).equals(zip([...extensionFiles('firefox')].reverse()))).toBe(true);
});

test('A package is an archive as others read it', () => {
  const bytes = Buffer.from('text');
  const packed = zip([{ name: 'a/ä.txt', bytes }]);
  const end = packed.length - 22;
  const directory = packed.readUInt32LE(end + 16);
  expect([packed.readUInt32LE(0), packed.readUInt32LE(end), packed.readUInt16LE(end + 10)]).toEqual([
    0x04034b50, 0x06054b50, 1,
  ]);
  expect(packed.readUInt32LE(directory)).toBe(0x02014b50);
  expect(directory + packed.readUInt32LE(end + 12)).toBe(end);
  expect(packed.includes(bytes)).toBe(true);
});
