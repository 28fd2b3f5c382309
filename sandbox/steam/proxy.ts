import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { type Certificates, steamHosts } from './certificates.ts';
import { ConnectionManager, type Log } from './cm.ts';
import { type Hold, SteamSite } from './steam-site.ts';
import type { SteamWorld } from './world.ts';

const knownHosts = new Set<string>(steamHosts);

export type SteamProxy = { server: Server; close: () => void };

/**
 * A CONNECT proxy that terminates TLS and plays Steam for the hosts it knows. All other hosts are refused, so that a
 * product pointed at the sandbox can never reach the real Steam.
 */
export function createProxy(
  world: SteamWorld,
  certificates: Certificates,
  log: Log,
  hold?: Hold,
): SteamProxy {
  const site = new SteamSite(world, log, hold);
  const manager = new ConnectionManager(world, log);
  const sockets = new WebSocketServer({ noServer: true });
  const secure = createHttpsServer(
    { key: certificates.key, cert: certificates.cert },
    (request, response) => {
      void site.handle(request, response);
    },
  );
  secure.on('upgrade', (request, socket, head) => {
    if (!request.url?.startsWith('/cmsocket')) return socket.destroy();
    sockets.handleUpgrade(request, socket, head, (accepted) => manager.handle(accepted));
  });
  secure.on('tlsClientError', (error) => log(`TLS: ${error.message}`));

  const server = createHttpServer((_request, response) => {
    response.writeHead(404).end();
  });
  server.on('connect', (request, socket) => {
    // A client may disconnect during the handshake.
    socket.on('error', () => socket.destroy());
    const [host = '', port] = (request.url ?? '').split(':');
    if (!knownHosts.has(host) || port !== '443') {
      log(`refused to connect to ${request.url}`);
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    secure.emit('connection', socket);
  });
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  const close = () => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
    secure.closeAllConnections();
    // Neither server lists a tunnel as a connection until its TLS handshake is done.
    for (const connection of connections) connection.destroy();
  };
  return { server, close };
}
