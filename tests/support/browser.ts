import { existsSync } from 'node:fs';

export interface Browser {
  executablePath: string;
  args: string[];
}

/** Works in a container and as root, without network access or a graphics card. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const whole = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Chromium without a window's parts: it needs a third less of the processor, but runs no extensions, and has no push. */
const shells = ['/usr/bin/chromium-headless-shell'];

const firstOf = (paths: readonly string[]): Browser | null => {
  const named = process.env.CHROMIUM_PATH;
  const executablePath = named ?? paths.find((path) => existsSync(path));
  return executablePath ? { executablePath, args: quiet } : null;
};

/** The Chromium for tests: the configured one, the system's, or the one in a package. */
export async function findBrowser(): Promise<Browser> {
  const installed = firstOf([...shells, ...whole]);
  if (installed) return installed;
  const { default: chromium } = await import('@sparticuz/chromium');
  const headless = [
    '--headless=shell',
    '--no-zygote',
    '--disable-setuid-sandbox',
    '--use-angle=swiftshader',
    '--in-process-gpu',
  ];
  return { executablePath: await chromium.executablePath(), args: [...quiet, ...headless] };
}

/** A Chromium with all its parts, for tests of extensions and push: the configured one or the system's; null if there is none. */
export function findWholeBrowser(): Browser | null {
  const found = firstOf(whole);
  return found?.executablePath.endsWith('headless-shell') ? null : found;
}
