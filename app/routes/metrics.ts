import { createHash, timingSafeEqual } from 'node:crypto';
import { config } from '#app/config.server.ts';
import type { Route } from './+types/metrics.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** This process's measurements for Prometheus. Without METRICS_TOKEN, or with another one, there is no such page. */
export async function loader({ request }: Route.LoaderArgs) {
  const { metricsToken } = config();
  const given = request.headers.get('authorization') ?? '';
  if (!metricsToken || !timingSafeEqual(digest(given), digest(`Bearer ${metricsToken}`)))
    return new Response(null, { status: 404 });
  const { registry } = await import('#app/services/metrics.server.ts');
  return new Response(await registry.metrics(), {
    headers: { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' },
  });
}
