import { data } from 'react-router';
import { askForAnyPasskey } from '#app/routes/auth/passkey-sign-in.server.ts';
import { passkeySite } from '#app/services/sign-in/passkey-site.server.ts';

/** The challenge that the sign-in page asks a browser's passkey to sign. */
export async function loader() {
  const site = passkeySite();
  if (!site) throw data(null, { status: 404 });
  const { options, cookie } = await askForAnyPasskey(site);
  return Response.json(options, { headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } });
}
