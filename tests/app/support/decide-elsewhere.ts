/**
 * Decides on a page of the sandbox's Twitch or Steam, as a person does in a browser: its form is sent with the fields of
 * its address and the choice. Answers where that site sends the browser.
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
