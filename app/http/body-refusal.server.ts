import { detectLanguage } from '#app/middleware/language.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { oauthError } from './oauth-error.server.ts';
import { isForPrograms } from './program-paths.ts';

const words = { 400: 'badRequest', 413: 'tooLarge', 415: 'badRequest' } as const;

/** The response to a request whose body is refused. */
export type BodyRefusal = (request: Request, status: keyof typeof words) => Promise<Response>;

/** Programs read one error of any body that is none of their forms, and in words what is wrong with it. */
function refuseProgram(status: keyof typeof words): Response {
  const isLarge = status === 413;
  const said = isLarge ? 'The body is too large.' : 'The body is not a form with these parameters.';
  const refusal = oauthError('invalid_request', said);
  refusal.headers.set('Connection', 'close');
  return refusal;
}

/**
 * No page is rendered before the body is known to be readable, so this is a plain sentence in the sender's language.
 */
export const refuseBody: BodyRefusal = async (request, status) => {
  if (isForPrograms(request)) return refuseProgram(status);
  const language = await detectLanguage(request);
  return new Response(`${translations(language).t(`errors.page.${words[status]}`)}\n`, {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Language': language,
      Connection: 'close',
    },
  });
};
