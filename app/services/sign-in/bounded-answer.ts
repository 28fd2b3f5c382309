/** Far above any answer of Twitch, Steam's sign-in or Cloudflare; a tenth of this would do. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** A body of a reasonable size as text; null if it is larger. Throws what ends the reading, such as the deadline. */
export async function readBoundedText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (size > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Like `readBoundedText`, parsed as JSON; null if it is none. */
export async function readBoundedJson(response: Response): Promise<unknown> {
  const text = await readBoundedText(response);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
