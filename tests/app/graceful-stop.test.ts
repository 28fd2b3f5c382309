import { once } from 'node:events';
import { RouterContextProvider, type ServerBuild } from 'react-router';
import { expect, test, vi } from 'vitest';
import { readWebConfiguration } from '#app/config.server.ts';
import { refuseBody } from '#app/http/body-refusal.server.ts';
import { closeEventStreams, eventStream } from '#app/http/event-stream.server.ts';
import { startServer } from '#app/server.ts';
import { setWebEnvironment, webEnvironment } from './support/web-environment.ts';

setWebEnvironment();

const unsubscribe = vi.fn();
let release = () => {};
const slowAnswer = new Promise<void>((done) => {
  release = done;
});

let announce = () => {};
/** Resolves when the other processes know of the stop. */
const announced = new Promise<void>((done) => {
  announce = done;
});

/** A build with two bare routes, so that the real server has a stream and a slow answer when it stops. */
const build = {
  entry: {
    module: {
      default: () => new Response(),
      createLoadContext: () => new RouterContextProvider(),
      refuseForeign: async () => null,
      isMember: async () => false,
      askAgain: async () => null,
      refuseBody,
      stopServing() {
        closeEventStreams();
        return announced;
      },
    },
  },
  routes: {
    events: {
      id: 'events',
      path: 'events',
      module: {
        loader: ({ request }: { request: Request }) =>
          eventStream(
            request,
            () => unsubscribe,
            async () => true,
          ),
      },
    },
    slow: {
      id: 'slow',
      path: 'slow',
      module: { loader: () => slowAnswer.then(() => new Response('finished')) },
    },
  },
  assets: { entry: { imports: [], module: '' }, routes: {}, url: '', version: '' },
  publicPath: '/',
  assetsBuildDirectory: 'build/client',
  future: { v8_middleware: true, v8_passThroughRequests: true, v8_trailingSlashAwareDataRequests: true },
  ssr: true,
  isSpaMode: false,
  prerender: [],
  routeDiscovery: { mode: 'initial' },
} as unknown as ServerBuild;

test('stopping ends event streams at once, finishes running requests and refuses new ones', async () => {
  const configuration = readWebConfiguration(webEnvironment());
  if (!configuration.ok) throw new Error('the test configuration is wrong');
  const { server, url, stop } = await startServer(configuration.values, build);
  const stream = await fetch(new URL('/events', url));
  expect(stream.headers.get('Content-Type')).toContain('text/event-stream');
  expect(stream.headers.get('Content-Encoding')).toBeNull();
  const slow = fetch(new URL('/slow', url));
  await once(server, 'request');

  const closed = once(server, 'close');
  const stopped = stop();
  expect(await stream.text()).toBe('retry: 2000\n\n');
  expect(unsubscribe).toHaveBeenCalledOnce();
  const late = await fetch(new URL('/slow', url)).then(
    ({ status }) => status,
    () => 'refused',
  );
  expect([503, 'refused']).toContain(late);

  release();
  expect(await (await slow).text()).toBe('finished');
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  await closed;
  expect(isStopped).toBe(false);
  announce();
  await stopped;
  expect(stop()).toBe(stop());
});
