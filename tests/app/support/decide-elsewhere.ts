/**
 * Submits a page of the sandbox's Twitch or Steam as in a browser, with the URL's fields and the choice. Returns the
 * URL it redirects to.
 */
export async function decideElsewhere(address: string, choice: Record<string, string>): Promise<string> {
  const asked = new URL(address);
  const fields = new URLSearchParams(asked.search);
  for (const [name, value] of Object.entries(choice)) fields.set(name, value);
  const answer = await fetch(`${asked.origin}${asked.pathname}`, {
    method: 'POST',
    body: fields,
    redirect: 'manual',
  });
  return answer.headers.get('Location') ?? '';
}
