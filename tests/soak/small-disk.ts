import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '#db/error-code.ts';

const MIB = 2 ** 20;
/** Room that something frees meanwhile is filled again this often. */
const AGAIN_MS = 200;

/** Returns whether this machine lets us mount a file as a disk. */
export const canMount = (): boolean =>
  process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/dev/loop-control');

/** A file as a disk of its own: filled to the last block, and freed. */
export class SmallDisk {
  readonly folder: string;
  readonly #file: string;
  readonly #ballast: string;
  #filling: NodeJS.Timeout | null = null;

  private constructor(folder: string) {
    this.folder = join(folder, 'disk');
    this.#file = join(folder, 'disk.ext4');
    this.#ballast = join(this.folder, 'ballast');
  }

  static mount(folder: string, mebibytes: number): SmallDisk {
    const disk = new SmallDisk(folder);
    closeSync(openSync(disk.#file, 'w'));
    truncateSync(disk.#file, mebibytes * MIB);
    // Nothing is kept back for root, who runs this.
    execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', disk.#file]);
    mkdirSync(disk.folder);
    execFileSync('mount', ['-o', 'loop', disk.#file, disk.folder]);
    return disk;
  }

  get isFull(): boolean {
    return this.#filling !== null;
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  fill(): void {
    const ballast = openSync(this.#ballast, 'a');
    const pieces = [MIB, 4096].map((size) => Buffer.alloc(size, 'x'));
    const topUp = () => {
      for (const piece of pieces) while (isWritten(ballast, piece));
    };
    topUp();
    this.#filling = setInterval(topUp, AGAIN_MS);
    this.#filling.unref();
    this.#close = () => closeSync(ballast);
  }

  #close = () => {};

  free(): void {
    if (this.#filling) clearInterval(this.#filling);
    this.#filling = null;
    this.#close();
    this.#close = () => {};
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    this.free();
    execFileSync('umount', ['--lazy', this.folder]);
    rmSync(this.#file);
  }
}

function isWritten(file: number, piece: Buffer): boolean {
  try {
    return writeSync(file, piece) > 0;
  } catch (error) {
    if (errorCode(error) === 'ENOSPC') return false;
    throw error;
  }
}
