import { setTimeout as delay } from 'node:timers/promises';
import { createContext, type RouterContextProvider } from 'react-router';

/** Time for the answer with the new cookie to arrive first. Browsers follow 20 redirects, which comes to 5 s. */
const patienceMs = 250;

const outdatedContext = createContext<boolean>(false);

/**
 * Lets a browser send the same request again, body included. It is for a request that was on its way while another tab got
 * a new session token: nothing of it is carried out, and the browser sends it with the new cookie.
 */
export function refuseOutdated(request: Request, context: Readonly<RouterContextProvider>): Response {
  context.set(outdatedContext, true);
  const { pathname, search } = new URL(request.url);
  return new Response(null, {
    status: 307,
    headers: { Location: `${pathname}${search}`, 'Cache-Control': 'no-store' },
  });
}

/** Does the same for any answer of the router, which takes a redirect of a page's data for a new navigation. */
export async function askAgain(
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<Response | null> {
  if (!context.get(outdatedContext)) return null;
  await delay(patienceMs);
  return refuseOutdated(request, context);
}
