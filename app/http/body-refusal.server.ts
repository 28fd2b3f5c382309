import { detectLanguage } from '#app/middleware/language.server.ts';
import { translations } from '#app/services/translations.server.ts';

const words = { 400: 'badRequest', 413: 'tooLarge', 415: 'badRequest' } as const;

/** The response to a request whose body is refused. */
export type BodyRefusal = (request: Request, status: keyof typeof words) => Promise<Response>;

/**
 * No page is rendered before the body is known to be readable, so this is a plain sentence in the sender's language.
 */
export const refuseBody: BodyRefusal = async (request, status) => {
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
