import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const folder = 'build/client';
// Fonts and images are already compressed; smaller files gain nothing.
const compressible = new Set(['.css', '.html', '.js', '.json', '.map', '.mjs', '.svg', '.txt', '.xml']);
const leastBytes = 256;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Writes a .br and .gz beside every text file of the client build, so that the server need not compress. */
async function compressAssets(): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let written = 0;
  for (const entry of entries) {
    if (!entry.isFile() || !compressible.has(extname(entry.name))) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    if (content.byteLength < leastBytes) continue;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength,
    };
    await writeFile(`${path}.br`, await toBrotli(content, { params }));
    await writeFile(`${path}.gz`, await toGzip(content, { level: constants.Z_BEST_COMPRESSION }));
    written += 1;
  }
  return written;
}

console.log(`${await compressAssets()} files compressed in ${folder}`);
