import { basename } from 'node:path';

/** The flushes to disk and renames, in their order. */
export const diskCalls: string[] = [];

/** The file system, recording these calls: for `vi.mock('node:fs', …)`. */
export function recordDiskCalls(fs: typeof import('node:fs')) {
  const opened = new Map<number, string>();
  return {
    ...fs,
    openSync: (path: string, flags: string) => {
      const file = fs.openSync(path, flags);
      opened.set(file, path);
      return file;
    },
    fsyncSync: (file: number) => {
      fs.fsyncSync(file);
      diskCalls.push(`flush ${basename(opened.get(file) ?? '')}`);
    },
    renameSync: (from: string, to: string) => {
      fs.renameSync(from, to);
      diskCalls.push(`rename ${basename(to)}`);
    },
  };
}
