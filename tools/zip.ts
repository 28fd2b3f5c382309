import { crc32 } from 'node:zlib';

/** A file of an archive. */
export interface Packed {
  name: string;
  bytes: Uint8Array;
}

/** 1 January 1980, the first date that the format knows. */
const DATE = 0x0021;
const VERSION = 20;
const UTF8_NAMES = 0x0800;

function headerOf({ name, bytes }: Packed, signature: number, before: number[], after: number[]): Buffer {
  const encoded = Buffer.from(name, 'utf8');
  const halves = (...values: number[]) => {
    const buffer = Buffer.alloc(values.length * 2);
    values.forEach((value, place) => void buffer.writeUInt16LE(value, place * 2));
    return buffer;
  };
  const words = (...values: number[]) => {
    const buffer = Buffer.alloc(values.length * 4);
    values.forEach((value, place) => void buffer.writeUInt32LE(value >>> 0, place * 4));
    return buffer;
  };
  return Buffer.concat([
    words(signature),
    halves(...before, VERSION, UTF8_NAMES, 0, 0, DATE),
    words(crc32(bytes), bytes.byteLength, bytes.byteLength),
    halves(encoded.byteLength, ...after),
    encoded,
  ]);
}

/**
 * Packs files into a ZIP archive that depends on nothing but their names and bytes: they are sorted, without dates, and stored
 * as they are, because each Node compresses a little differently.
 */
export function zip(files: readonly Packed[]): Buffer {
  const sorted = [...files].sort((one, other) => (one.name < other.name ? -1 : 1));
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of sorted) {
    const local = headerOf(file, 0x04034b50, [], [0]);
    // Without a comment, on the first disk, without attributes; the last two halves are the place of the file.
    const central = headerOf(file, 0x02014b50, [VERSION], [0, 0, 0, 0, 0, 0, offset & 0xffff, offset >>> 16]);
    parts.push(local, Buffer.from(file.bytes));
    directory.push(central);
    offset += local.byteLength + file.bytes.byteLength;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(sorted.length, 8);
  end.writeUInt16LE(sorted.length, 10);
  end.writeUInt32LE(listed.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}
