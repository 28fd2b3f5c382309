import Fastify, { type FastifyInstance } from 'fastify';
import type { WorldClock } from './world-clock.ts';

/** The clock service as a Fastify instance: `GET /now` and `POST /advance {"ms": n}`. */
export function buildClock(clock: WorldClock): FastifyInstance {
  const server = Fastify({ logger: false, bodyLimit: 1024, forceCloseConnections: true });
  server.get('/now', () => ({ nowMs: clock.now(), offsetMs: clock.offsetMs() }));
  server.post('/advance', (request, reply) => {
    const body: unknown = request.body;
    const ms = typeof body === 'object' && body !== null && 'ms' in body ? body.ms : undefined;
    const outcome = clock.advance(ms);
    if (!outcome.ok) return reply.code(400).send({ message: outcome.message });
    return reply.send({ nowMs: outcome.nowMs, offsetMs: outcome.offsetMs });
  });
  return server;
}
