import { data } from 'react-router';
import { captcha } from '#app/services/captcha/captcha.server.ts';

/** A new question for the captcha of a form; 404 when another site asks the questions. */
export async function loader() {
  const { challenge } = captcha();
  if (!challenge) throw data(null, { status: 404 });
  return Response.json(await challenge(), { headers: { 'Cache-Control': 'no-store' } });
}
