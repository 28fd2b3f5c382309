import { redirectWithToast } from '#app/services/toast.server.ts';

const LIST = '/items/custody';

/** Leads back to the list in custody, with the filter and the page that it had, and says that nothing was ticked. */
export function backToCustody(request: Request): Promise<Response> {
  // Within this site browsers send the whole address.
  const from = request.headers.get('Referer') ?? '';
  const { pathname, search } = new URL(URL.canParse(from) ? from : request.url);
  const to = pathname === LIST ? LIST + search : LIST;
  return redirectWithToast(to, { type: 'warning', title: 'errors.trade.nothingPicked' });
}
