// The last part of `npm run build`: bundles each process into a file Node runs directly, `node build/bot.js`.
// Production dependencies stay packages; our own code, and packages only the sandbox needs, are bundled.
import { cpSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'vite';

const root = resolve(import.meta.dirname, '..');

interface Bundle {
  folder: string;
  /** Output names and their entry files. */
  entries: Record<string, string>;
  /** Files the code reads at run time: where each comes from and where it is expected in the output folder. */
  files: Record<string, string>;
}

const product: Bundle = {
  folder: 'build',
  entries: {
    web: 'app/main.ts',
    'check-web': 'app/check-settings.ts',
    bot: 'bot/main.ts',
    'check-bot': 'bot/check-settings.ts',
    keepsake: 'cli/keepsake.ts',
    healthcheck: 'cli/healthcheck.ts',
    'read-settings-file': 'cli/read-settings-file.ts',
    'end-with-parent': 'cli/end-with-parent.ts',
    start: 'cli/start.ts',
  },
  files: { 'db/migrations': 'migrations' },
};
/** In its own folder, so that an installation can leave it out. */
const sandbox: Bundle = {
  folder: 'build/sandbox',
  entries: { main: 'sandbox/main.ts' },
  files: { 'sandbox/panel/styles': 'styles' },
};

const LAUNCHER = '\0launch:';
/**
 * Generates launchers that enable source maps before loading the process: Node reads a file's map when it loads the
 * file.
 */
const launchers: Plugin = {
  name: 'launchers',
  resolveId: (id) => (id.startsWith(LAUNCHER) ? id : null),
  load: (id) =>
    id.startsWith(LAUNCHER)
      ? `process.setSourceMapsEnabled(true);\nawait import(${JSON.stringify(join(root, id.slice(LAUNCHER.length)))});`
      : null,
};

const { dependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<'dependencies' | 'optionalDependencies', Record<string, string>>;
const installed = new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);

function isOutside(id: string): boolean {
  if (isBuiltin(id)) return true;
  const [first = '', second = ''] = id.split('/');
  return installed.has(first.startsWith('@') ? `${first}/${second}` : first);
}

async function bundle({ folder, entries, files }: Bundle): Promise<void> {
  const outDir = join(root, folder);
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    plugins: [launchers],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: false,
      sourcemap: true,
      rollupOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, LAUNCHER + source])),
        external: isOutside,
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
  for (const [from, to] of Object.entries(files))
    cpSync(join(root, from), join(outDir, to), { recursive: true });
}

// `react-router build` has already cleared the folder and written the pages.
await bundle(sandbox);
await bundle(product);
