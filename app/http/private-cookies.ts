/**
 * Keeps an answer that sets a cookie out of every cache, whatever else it says of itself: a shared one would hand one
 * person's cookie to the next. All answers pass here but files, which set none.
 */
export function withPrivateCookies(response: Response): Response {
  if (response.headers.has('Set-Cookie')) response.headers.set('Cache-Control', 'private, no-store');
  return response;
}
