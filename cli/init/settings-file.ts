import {
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';

/** Values by the names of their variables, as in a settings file. */
export type Settings = Record<string, string>;

/**
 * Reads a settings file as Node, Docker Compose and systemd do; null if there is none. Without the byte order mark that
 * some editors of Windows put first, which would become part of the first name.
 */
export const readSettingsFile = (path: string): Settings | null =>
  existsSync(path) ? (parseEnv(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')) as Settings) : null;

/** Matches values that need no quotes in any of their dialects. */
const bare = /^[\w@%+,./:=~-]+$/;

/**
 * Returns a variable's line; null if no quotes can hold its value in all of these dialects, as for a line
 * break, or both kinds of quotes at once.
 */
export function lineOf(name: string, value: string): string | null {
  if (/[\r\n\0]/.test(value)) return null;
  if (bare.test(value)) return `${name}=${value}`;
  // Compose takes a backslash before the closing quote for an escaped one.
  if (value.endsWith('\\')) return null;
  if (!value.includes("'")) return `${name}='${value}'`;
  return /["$\\`]/.test(value) ? null : `${name}="${value}"`;
}

/**
 * Writes settings into a file that only its owner can read, in one step: a reader sees the old file or the
 * new one. Changed variables keep their place, the rest of the file is unchanged, and new variables come
 * last.
 */
export function writeSettingsFile(path: string, changes: Settings): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8').replace(/\n?$/, '\n') : '';
  const left = new Map(Object.entries(changes));
  const present = before.split('\n').slice(0, -1);
  const lines = present.flatMap((line) => {
    const [, name = ''] = /^\s*(?:export\s+)?([A-Z]\w*)\s*=/.exec(line) ?? [];
    if (!(name in changes)) return [line];
    const value = left.get(name);
    left.delete(name);
    return value === undefined ? [] : [requireLine(name, value)];
  });
  for (const [name, value] of left) lines.push(requireLine(name, value));
  replaceFile(path, `${lines.join('\n')}\n`);
}

function requireLine(name: string, value: string): string {
  const line = lineOf(name, value);
  if (line === null) throw new Error(`${name} cannot be written to a settings file`);
  return line;
}

/** Gives an open file to an owner and a group, unless only root may. */
function giveTo(file: number, uid: number, gid: number): void {
  try {
    fchownSync(file, uid, gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/**
 * Puts a file that only its owner can read in the place of another, which a symbolic link may name. It keeps the other's owner
 * and group, or takes its folder's if there is no other, where this process may give files away.
 */
export function replaceFile(path: string, text: string): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const { uid, gid } = statSync(existsSync(target) ? target : dirname(target));
  const next = `${target}.${process.pid}`;
  const file = openSync(next, 'wx', 0o600);
  try {
    try {
      writeFileSync(file, text);
      giveTo(file, uid, gid);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, target);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
