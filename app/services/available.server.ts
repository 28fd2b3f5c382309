import { isRouteErrorResponse, type RouterContextProvider } from 'react-router';
import { logContext } from '#app/middleware/contexts.server.ts';

/**
 * Reads what a page is about, or answers null when that failed: the log has the error, the page says what is unavailable
 * and still works. Redirects and refusals that were thrown on purpose go through.
 */
export async function orUnavailable<T>(
  context: Readonly<RouterContextProvider>,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Response || isRouteErrorResponse(error)) throw error;
    context.get(logContext).error({ err: error }, 'could not load a part of a page');
    return null;
  }
}
