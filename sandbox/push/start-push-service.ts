import type { AddressInfo } from 'node:net';
import { buildPushService } from './build-push-service.ts';
import { PushWorld } from './push-world.ts';

/** Starts a push service on loopback. */
export async function startPushService(port: number, world = new PushWorld()) {
  let url = '';
  const service = buildPushService(world, () => url);
  await service.listen({ port, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(service.server.address() as AddressInfo).port}`;
  return {
    url,
    world,
    async close() {
      service.server.closeAllConnections();
      await service.close();
    },
  };
}
