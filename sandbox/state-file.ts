import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file atomically: to a temporary file beside it, synced and renamed. */
export async function writeWhole(path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  // The mode applies only to a new file, and a killed process may have left one with another mode.
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** Reads a JSON file; undefined when it does not exist, an error naming the file when it is damaged. */
export async function readState(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON; move it away to start with a fresh world.`);
  }
}

export interface StateFile {
  /** Writes soon; several calls in a short time become one write. */
  schedule(): void;
  /** Writes pending changes now, and resolves when they are on disk. */
  flush(): Promise<void>;
}

/** Saves `snapshot()` to `path`, debounced; `onError` receives failed writes. */
export function syncStateFile(
  path: string,
  snapshot: () => unknown,
  onError: (error: unknown) => void,
  delayMs = 200,
): StateFile {
  let timer: NodeJS.Timeout | undefined;
  let dirty = false;
  let writing: Promise<void> = Promise.resolve();

  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(async () => {
      if (!dirty) return;
      dirty = false;
      try {
        await writeWhole(path, JSON.stringify(snapshot()), 0o600);
      } catch (error) {
        dirty = true;
        onError(error);
      }
    });
    return writing;
  };

  return {
    schedule() {
      dirty = true;
      timer ??= setTimeout(() => void write(), delayMs);
    },
    flush: write,
  };
}
