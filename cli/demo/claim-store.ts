import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isNewStore } from '#db/migrate.ts';
import { findSecret } from '#platform/configuration.ts';
import { isLoopback } from '#platform/configuration-checks.ts';
import { sharedSecretFiles } from '#platform/shared-variables.ts';
import type { Finding } from '../doctor/finding.ts';
import { type StoreSettings, storeOf } from '../settings.ts';
import { type DemoNotes, demoNotesFile, readDemoNotes, writeDemoNotes } from './demo-notes.ts';

const ownWorld = 'No TWITCH_*, STEAM_* or STRIPE_* variable is set, which starts the demo';

/** The database's name in the demo's notes, without user and password. */
function nameOf({ DATABASE_URL }: StoreSettings): string {
  if (!DATABASE_URL) return 'keepsake.db';
  if (!URL.canParse(DATABASE_URL)) return 'postgres';
  const { host, pathname } = new URL(DATABASE_URL);
  return `${host}${pathname}`;
}

/**
 * Returns whether the demo's notes are about this database. Notes without a name are about the file, if there
 * is one.
 */
function isOfDemo({ store }: DemoNotes, given: StoreSettings): boolean {
  if (store !== undefined) return store === nameOf(given);
  return !given.DATABASE_URL || !existsSync(join(given.KEEPSAKE_DATA_DIR, 'keepsake.db'));
}

/** The reason why nothing may start beside unreadable notes. */
const notesDamaged = (folder: string): Finding => ({
  name: 'demoNotesDamaged',
  what: `${demoNotesFile(folder)} marks the store of the demo and holds the passwords of its people, but it is damaged.`,
  why: 'Whether the store is the demo’s or an instance’s cannot be told, so nothing starts on it.',
  remedy: `If this is the demo, bring the file back from a copy, or move ${folder} aside: the next start makes a new demo. If it is your instance, delete the file.`,
});

/**
 * Finds out why a real instance must not start on this store: it is the demo's. A demo that never made its
 * store does not count, and neither does an instance with a database of its own that already lives beside
 * one.
 */
export async function findDemoInStore(given: StoreSettings): Promise<Finding | null> {
  const { KEEPSAKE_DATA_DIR: folder, DATABASE_URL: url } = given;
  const notes = readDemoNotes(folder);
  if (notes === null) return null;
  if (notes === 'damaged') return notesDamaged(folder);
  if (isOfDemo(notes, given) === (await isNewStore(storeOf(given)))) return null;
  return {
    name: 'storeIsDemo',
    what: `${folder} is the data folder of the demo (${demoNotesFile(folder)}).`,
    why: 'Its people, whose passwords are in that file, and its bots would be part of your instance.',
    remedy: `Set KEEPSAKE_DATA_DIR to another folder${url ? ', and DATABASE_URL to another database' : ''}, or move ${folder} aside.`,
  };
}

/** Finds out why the demo must not start on this store: it is a real instance's, or another demo's. */
export async function findInstanceInStore(given: StoreSettings): Promise<Finding | null> {
  const { KEEPSAKE_DATA_DIR: folder, DATABASE_URL: url } = given;
  const notes = readDemoNotes(folder);
  if (notes === 'damaged') return notesDamaged(folder);
  if (notes !== null && isOfDemo(notes, given)) return null;
  // A folder with a key belongs to an instance whose database is elsewhere.
  const hasKey = findSecret(folder, sharedSecretFiles.ENCRYPTION_KEY) !== null;
  if (notes === null && !hasKey && (await isNewStore(storeOf(given)))) return null;
  return {
    name: 'storeIsNoDemo',
    what: `${ownWorld}, and ${url ? 'the database in DATABASE_URL' : folder} is not the demo's.`,
    why: 'The demo would add its people and bots to it, keep its mail to itself and move its clock.',
    remedy:
      'Give the settings of your instance, which `npm start` and `npm run keepsake` also read from .env; or try the demo elsewhere: KEEPSAKE_DATA_DIR=demo npm start. If a backup of a demo was restored here, put demo.json and sandbox of that demo beside it.',
  };
}

/** The demo's people, Twitch and panel are on this machine; with a public address it is an instance without settings. */
export function findPublicDemo(publicUrl: string | undefined): Finding | null {
  if (!publicUrl || !URL.canParse(publicUrl) || isLoopback(new URL(publicUrl).hostname)) return null;
  return {
    name: 'demoIsPublic',
    what: `${ownWorld}, but PUBLIC_URL is ${publicUrl}, and the demo opens on this machine alone.`,
    why: 'Everybody could sign in as its people.',
    remedy: 'Set the variables of your instance (docs/configuration.md), or unset PUBLIC_URL for the demo.',
  };
}

/** Marks the store as the demo's, before it is made. */
export function claimForDemo(given: StoreSettings): void {
  const folder = given.KEEPSAKE_DATA_DIR;
  if (readDemoNotes(folder) !== null) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeDemoNotes(folder, { store: nameOf(given), people: [], stocked: false });
}

/** Removes the mark of a demo that never made its store. */
export const releaseFromDemo = (given: StoreSettings): void =>
  rmSync(demoNotesFile(given.KEEPSAKE_DATA_DIR), { force: true });
