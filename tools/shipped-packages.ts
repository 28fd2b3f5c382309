import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  dependencies?: Record<string, string>;
}

/** Packages that are needed only to build the files importing them. */
const buildOnly: ReadonlySet<string> = new Set(['@react-router/dev', 'vite']);

const lockedPackages = (): Record<string, LockedPackage> =>
  (JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> })
    .packages;

const nameOf = (path: string): string => path.split('node_modules/').at(-1) ?? '';

/** Packages that are installed with Keepsake, by their places in `node_modules`. */
export const installedPackages = (): [name: string, found: LockedPackage][] =>
  Object.entries(lockedPackages())
    .filter(([path, { dev, version }]) => path.startsWith('node_modules/') && !dev && version)
    .map(([path, found]) => [nameOf(path), found]);

function importedBy(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(tsx?|css)$/.test(file),
  );
  const named = files.flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /(?:from |import |url\()['"]((?:@[\w-]+\/)?[\w-]+)/g,
      ),
    ].map(([, name = '']) => name),
  );
  return new Set(named);
}

/** Packages that are installed for development only and still reach browsers within the scripts and styles that are built. */
export function bundledPackages(): [name: string, found: LockedPackage][] {
  const packages = lockedPackages();
  const found = new Map<string, LockedPackage>();
  const add = (name: string) => {
    const known = packages[`node_modules/${name}`];
    if (!known?.dev || buildOnly.has(name) || found.has(name)) return;
    found.set(name, known);
    for (const needed of Object.keys(known.dependencies ?? {})) add(needed);
  };
  for (const name of importedBy('app')) add(name);
  return [...found];
}
