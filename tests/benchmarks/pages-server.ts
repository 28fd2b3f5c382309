// The real web process, and in the same process and server a React Router app with one trivial page. Prints where both
// listen, and answers each message with the process's CPU time in ms.
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RouterContextProvider, type ServerBuild, type ServerEntryModule } from 'react-router';
import { assumeProduction, config } from '#app/config.server.ts';
import { type Entry, loadBuild, startServer } from '#app/server.ts';

assumeProduction();

const trivialBuild = (await import(
  pathToFileURL(resolve('node_modules/.cache/keepsake-trivial-page/server/index.js')).href
)) as ServerBuild;

/** The functions that the server needs from a bundle besides pages; nothing is refused here. */
const hooks = {
  refuseForeign: async () => null,
  refuseBody: async () => new Response(null, { status: 413 }),
  isMember: async () => false,
  askAgain: async () => null,
  documentIn: () => null,
  createLoadContext: () => new RouterContextProvider(),
  countFailure: async () => {},
  stopServing: async () => {},
  announceWeb: async () => null,
} satisfies Omit<Entry, keyof ServerEntryModule>;
const trivial = { ...trivialBuild, entry: { module: { ...trivialBuild.entry.module, ...hooks } } };

const servers = [await startServer(config(), await loadBuild()), await startServer(config(), trivial)];
const [product, reference] = servers.map(({ server }) => (server.address() as AddressInfo).port);

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1000);
});
process.on('disconnect', () => process.exit());
process.send?.({ product, reference });
