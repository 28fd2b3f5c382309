import { config } from '#app/config.server.ts';
import { second } from '#domain/kernel/time.ts';
import { boundedCache } from '#platform/bounded-cache.ts';

const DEADLINE_MS = 3 * second;
const MAX_BYTES = 512 * 1024;
/** A picture that could not be read is not requested again for this long. */
const FAILED_MS = 60 * second;

/** Steam's names for pictures: hashes of some lengths and alphabets, some with a size behind them. */
const iconName = /^[\w-]{8,512}(\/\d{1,4}f?x\d{1,4}f?)?$/;
const types = /^image\/(png|jpeg|webp)\b/;

type Known = { image: Promise<Buffer | null>; until: number };
const known = boundedCache<string, Known>('itemPictures', 128);

/**
 * An item's picture, as a PNG, JPEG or WebP file; null if there is none or it could not be read in time. It
 * comes from the configured host of Steam's pictures alone: no redirect is followed, and the name cannot lead
 * elsewhere.
 *
 * @param fetchImage reads an address
 */
export function imageOf(
  icon: string | null,
  fetchImage: typeof fetch = fetch,
  now = () => performance.now(),
): Promise<Buffer | null> {
  if (icon === null || !iconName.test(icon)) return Promise.resolve(null);
  const found = known.get(icon);
  if (found && now() < found.until) return found.image;
  const image = read(new URL(icon, config().steam.imageUrl), fetchImage).catch(() => null);
  const entry: Known = { image, until: Number.POSITIVE_INFINITY };
  void image.then((bytes) => {
    if (!bytes) entry.until = now() + FAILED_MS;
  });
  known.set(icon, entry);
  return image;
}

async function read(address: URL, fetchImage: typeof fetch): Promise<Buffer | null> {
  const response = await fetchImage(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(DEADLINE_MS),
    headers: { Accept: 'image/png, image/jpeg, image/webp' },
  });
  const isPicture = response.ok && types.test(response.headers.get('Content-Type') ?? '');
  if (!isPicture || !response.body) {
    await response.body?.cancel();
    return null;
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body) {
    size += part.byteLength;
    // Leaving the loop cancels the rest.
    if (size > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
