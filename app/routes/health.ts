import { canStore } from '#app/services/can-store.server.ts';
import type { Route } from './+types/health.ts';

/** The number of addresses in X-Forwarded-For. The addresses of inner proxies are nobody else's business. */
const countForwarded = (headers: Headers): number =>
  (headers.get('x-forwarded-for') ?? '').split(',').filter((address) => address.trim() !== '').length;

/**
 * Tells a supervisor or proxy that this process answers, with `?deep` also whether a row can be written, and
 * `keepsake doctor` how many proxies added an address.
 */
export async function loader({ request }: Route.LoaderArgs) {
  const ok = !new URL(request.url).searchParams.has('deep') || (await canStore());
  return new Response(ok ? 'ok\n' : 'nothing can be stored\n', {
    status: ok ? 200 : 503,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Keepsake-Forwarded': String(countForwarded(request.headers)),
    },
  });
}
