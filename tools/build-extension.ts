// `npm run extension`: writes the browser extension into build/extension, as folders and as packages, one for Chromium and
// one for Firefox. The same source gives the same bytes on any Node.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { manifestFor, type Target, targets } from '../extension/manifest.ts';
import * as en from '../extension/texts/en.ts';
import * as ru from '../extension/texts/ru.ts';
import { type Packed, zip } from './zip.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): Buffer => readFileSync(join(root, path));
const { version } = JSON.parse(read('package.json').toString()) as { version: string };
const bytesOf = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

const scripts: Record<string, string> = {
  'background.js': 'extension/background.ts',
  'panel.js': 'extension/panel/panel.ts',
  'steam.js': 'extension/steam/page.ts',
  'twitch.js': 'extension/twitch/page.ts',
};

/** Each script as one file, which is what a page of another site needs. */
function bundle(entry: string): Uint8Array {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    charset: 'utf8',
    format: 'iife',
    legalComments: 'none',
    target: ['chrome123', 'firefox140'],
    tsconfigRaw: '{}',
  });
  const [file] = outputFiles;
  if (!file) throw new Error(`nothing came out of ${entry}`);
  return file.contents;
}

/** The words that the browser keeps, in the one language that it shows. */
const messages = ({ listing, panel, silences }: Pick<typeof en, 'listing' | 'panel' | 'silences'>) =>
  bytesOf(
    Object.fromEntries(
      Object.entries({ ...listing, ...panel, ...silences }).map(([key, message]) => [key, { message }]),
    ),
  );

/** The files of the extension for one browser. */
export function extensionFiles(target: Target): Packed[] {
  const bundled = Object.entries(scripts).map(([name, entry]) => ({ name, bytes: bundle(entry) }));
  return [
    ...bundled,
    { name: 'manifest.json', bytes: bytesOf(manifestFor(target, version)) },
    { name: 'panel.html', bytes: read('extension/panel/panel.html') },
    { name: 'panel.css', bytes: read('extension/panel/panel.css') },
    { name: 'icon.png', bytes: read('public/icon-192.png') },
    { name: '_locales/en/messages.json', bytes: messages(en) },
    {
      name: '_locales/ru/messages.json',
      bytes: messages({ listing: ru.listing, panel: ru.panel, silences: ru.silences }),
    },
  ];
}

/** Writes a browser's folder, and the package beside it. */
export function writeExtension(folder: string, target: Target): void {
  const files = extensionFiles(target);
  rmSync(join(folder, target), { recursive: true, force: true });
  for (const { name, bytes } of files) {
    const path = join(folder, target, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  writeFileSync(join(folder, `keepsake-${target}-${version}.zip`), zip(files));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const target of targets) writeExtension(join(root, 'build/extension'), target);
