import type { Route } from './+types/health.ts';

/** Tells a supervisor or proxy that this process answers, and `keepsake doctor` whether a proxy forwarded the request. */
export function loader({ request }: Route.LoaderArgs) {
  return new Response('ok\n', {
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Keepsake-Forwarded': request.headers.has('x-forwarded-for') ? 'yes' : 'no',
    },
  });
}
