import { isRouteErrorResponse, type RouterContextProvider } from 'react-router';
import { processLog } from '#app/http/logger.server.ts';
import { incompleteContext } from '#app/middleware/contexts.server.ts';

/**
 * Reads data for a page, or returns null if that failed: the error is logged, and the page still works and
 * names the missing part. Redirects and refusals thrown on purpose are rethrown.
 */
export async function orUnavailable<T>(
  context: Readonly<RouterContextProvider>,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Response || isRouteErrorResponse(error)) throw error;
    processLog.error({ err: error }, 'could not load a part of a page');
    context.set(incompleteContext, true);
    return null;
  }
}
