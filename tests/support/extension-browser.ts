import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Worker } from '@playwright/test';
import { writeExtension } from '../../tools/build-extension.ts';
import type { Browser } from './browser.ts';

/**
 * Writes the extension with what is optional already granted: a browser without a window asks nobody, and never answers.
 */
export function writeGranted(folder: string): string {
  writeExtension(folder, 'chromium');
  const unpacked = join(folder, 'chromium');
  const file = join(unpacked, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const permissions = [...manifest.permissions, ...manifest.optional_permissions];
  const host_permissions = manifest.optional_host_permissions;
  writeFileSync(file, JSON.stringify({ ...manifest, permissions, host_permissions }));
  return unpacked;
}

interface Opened {
  profile: string;
  /** The folder of the extension; null for a browser without it. */
  unpacked: string | null;
  /** The sandbox's Steam. */
  proxy: string;
  language?: 'en-US' | 'ru';
  args?: string[];
}

/** A browser of its own, whose Steam is the sandbox's. */
export async function openBrowser(
  { executablePath, args }: Browser,
  { profile, unpacked, proxy, language = 'en-US', args: more = [] }: Opened,
): Promise<BrowserContext> {
  const extension = unpacked
    ? [`--disable-extensions-except=${unpacked}`, `--load-extension=${unpacked}`]
    : [];
  return chromium.launchPersistentContext(profile, {
    executablePath,
    proxy: { server: proxy, bypass: 'localhost,127.0.0.1' },
    ignoreHTTPSErrors: true,
    locale: language,
    // Chromium on Linux takes the language of its own words from here.
    env: { ...process.env, LANGUAGE: language },
    args: [...args, `--lang=${language}`, ...extension, ...more],
  });
}

/** The same with the extension, and the worker that is its background. */
export async function openWithExtension(
  browser: Browser,
  opened: Opened & { unpacked: string },
): Promise<{ context: BrowserContext; worker: Worker }> {
  const context = await openBrowser(browser, opened);
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  return { context, worker };
}
