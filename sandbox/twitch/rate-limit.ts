import type { FastifyReply } from 'fastify';
import { Refusal } from './http-answers.ts';

const capacity = 800;

/** Twitch's token buckets: 800 points for each user of a client, and for the client itself. */
export function rateLimit(pointsPerSecond: number, systemNow: () => number = Date.now) {
  const pointsPerMs = pointsPerSecond / 1000;
  const buckets = new Map<string, { points: number; atMs: number }>();
  return {
    /** Takes one point, reports the rest, and refuses with 429 when none is left. */
    spend(bucketName: string, reply: FastifyReply): void {
      const nowMs = systemNow();
      const last = buckets.get(bucketName) ?? { points: capacity, atMs: nowMs };
      const points = Math.min(capacity, last.points + (nowMs - last.atMs) * pointsPerMs);
      const left = points < 1 ? points : points - 1;
      buckets.set(bucketName, { points: left, atMs: nowMs });
      const fullAtMs = nowMs + (capacity - left) / pointsPerMs;
      sendRateHeaders(reply, Math.floor(left), fullAtMs);
      if (points < 1) throw new Refusal(429, 'Too Many Requests');
    },
  };
}

/** `Ratelimit-Reset` is the Unix time at which the bucket is full again. */
export function sendRateHeaders(reply: FastifyReply, remaining: number, fullAtMs: number): void {
  reply
    .header('Ratelimit-Limit', String(capacity))
    .header('Ratelimit-Remaining', String(remaining))
    .header('Ratelimit-Reset', String(Math.ceil(fullAtMs / 1000)));
}
