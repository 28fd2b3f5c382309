import { data } from 'react-router';
import { captcha } from '#app/services/captcha/captcha.server.ts';

/** A new captcha challenge; 404 if another site provides the captcha. */
export async function loader() {
  const { challenge } = captcha();
  if (!challenge) throw data(null, { status: 404 });
  return Response.json(await challenge(), { headers: { 'Cache-Control': 'no-store' } });
}
