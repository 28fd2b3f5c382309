import { createHash, timingSafeEqual } from 'node:crypto';
import { config } from '#app/config.server.ts';
import { readBotMetrics } from '#app/services/bot-client.server.ts';
import type { Route } from './+types/metrics.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * This process's measurements for Prometheus, or with `?of=bot` those of the bot's process, which listens to nobody but this
 * one. Without METRICS_TOKEN, or with another one, there is no such page.
 */
export async function loader({ request }: Route.LoaderArgs) {
  const { metricsToken } = config();
  const given = request.headers.get('authorization') ?? '';
  if (!metricsToken || !timingSafeEqual(digest(given), digest(`Bearer ${metricsToken}`)))
    return new Response(null, { status: 404 });
  const of = new URL(request.url).searchParams.get('of');
  if (of === 'bot') {
    const read = await readBotMetrics(metricsToken);
    return read ? answer(read.text, read.type) : new Response(null, { status: 502 });
  }
  if (of !== null) return new Response(null, { status: 404 });
  const { registry } = await import('#app/http/metrics.server.ts');
  return answer(await registry.metrics(), registry.contentType);
}

const answer = (text: string, type: string) =>
  new Response(text, { headers: { 'Content-Type': type, 'Cache-Control': 'no-store' } });
