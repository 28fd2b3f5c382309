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

const ofTheSystem = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The Chromium for tests: the configured one, the system's, or the one in a package. */
export async function findBrowser(): Promise<Browser> {
  const named = process.env.CHROMIUM_PATH;
  if (named) return { executablePath: named, args: quiet };
  const installed = ofTheSystem.find((path) => existsSync(path));
  if (installed) return { executablePath: installed, args: quiet };
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
