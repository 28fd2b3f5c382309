// Builds the images with buildah upon a Debian and a Node made here, because a registry of images may be out of reach, and
// runs them with podman as compose.yaml does. About six minutes; needs buildah, podman and mmdebstrap, as root on Linux.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { readStages } from '#tests/support/dockerfile.ts';
import { ImageEngine, whatIsMissing } from '#tests/support/image-engine.ts';

const MAX_BYTES = 400_000_000;
interface Confined {
  stop_grace_period: string;
  tmpfs: string[];
  security_opt: string[];
  cap_drop: string[];
}
const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
  services: { keepsake: Confined };
};
const composed = services.keepsake;
const confined = [
  '--read-only',
  ...composed.tmpfs.flatMap((path) => ['--tmpfs', path]),
  ...composed.cap_drop.flatMap((capability) => ['--cap-drop', capability]),
  ...composed.security_opt.flatMap((option) => ['--security-opt', option]),
];
const base = readStages('Dockerfile').find(({ name }) => name === 'base')?.from ?? '';
/** A setting of Twitch skips the sandbox, which the product's image does not have. */
const targets = [
  {
    target: 'product',
    settings: ['--env', 'TWITCH_BOT_LOGIN=keepsake_bot'],
    pages: ['http://127.0.0.1:3000/', 'http://[::1]:3000/'],
  },
  { target: 'demo', settings: [], pages: ['http://127.0.0.1:3000/'] },
];

const missing = whatIsMissing();

describe.skipIf(missing)(`images by buildah${missing ? `: ${missing}` : ''}`, () => {
  let engine: ImageEngine;

  beforeAll(async () => {
    engine = await ImageEngine.start(mkdtempSync(join(tmpdir(), 'keepsake-built-')));
    engine.makeBase(`docker.io/library/${base}`, /-(\w+)-slim/.exec(base)?.[1] ?? '');
    // The demo first: the product leaves out a part of what both are made of.
    for (const { target } of targets.toReversed()) engine.build(target, `keepsake-${target}`);
  });
  afterAll(() => engine?.stop());

  test('The product’s image is at most 400 MB with its base, and knows its user, its health check and its command', () => {
    const [image] = JSON.parse(engine.run('podman', 'image', 'inspect', 'keepsake-product')) as [
      { Size: number; User: string; Config: { Cmd: string[] }; Healthcheck: { Test: string[] } },
    ];
    console.log(`the product's image: ${Math.round(image.Size / 1e6)} MB`);
    expect(image.Size).toBeLessThan(MAX_BYTES);
    expect(image).toMatchObject({
      User: '10001:10001',
      Config: { Cmd: ['node', 'build/start.js'] },
      Healthcheck: { Test: ['CMD', 'node', 'build/healthcheck.js'] },
    });
  });

  test.each(targets)(
    '$target runs confined, stops in time, and finds its data again',
    async ({ target, settings, pages }) => {
      const inside = (...command: string[]) => engine.tryInside(target, ...command);
      const untilOpen = (times: number) =>
        vi.waitFor(() => expect(engine.logsOf(target).split('Keepsake is open')).toHaveLength(times + 1), {
          timeout: 180_000,
          interval: 1000,
        });
      const expectHealthy = () => {
        expect(engine.run('podman', 'healthcheck', 'run', target)).toBe('');
        for (const page of pages) {
          const asked = inside('node', '-e', `fetch('${page}').then(({ status }) => console.log(status))`);
          expect(asked, page).toEqual({ status: 0, output: '200' });
        }
      };
      const secrets = () => inside('sh', '-c', 'sha256sum /data/secrets/*');

      // Nothing outside is needed, and no network is made on this machine.
      const around = ['--network', 'none', '--volume', `${target}-data:/data`, ...confined, ...settings];
      engine.startContainer(target, `keepsake-${target}`, ...around);
      await untilOpen(1);
      expectHealthy();
      const status = inside('cat', '/proc/1/status').output;
      expect(status).toMatch(/^Uid:\s+10001\s+10001\s/m);
      for (const kind of ['Prm', 'Eff', 'Bnd'])
        expect(status).toMatch(new RegExp(`^Cap${kind}:\\s+0+$`, 'm'));
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(inside('touch', '/app/build/new')).toMatchObject({
        status: 1,
        output: expect.stringContaining('Read-only file system'),
      });
      const before = secrets();
      expect(before.status).toBe(0);

      const begunMs = performance.now();
      engine.run('podman', 'stop', '--time', `${Number.parseInt(composed.stop_grace_period, 10)}`, target);
      console.log(`${target} stopped in ${((performance.now() - begunMs) / 1000).toFixed(1)} s`);
      // Killed after the grace it would have ended with 137.
      const ended = engine.run('podman', 'inspect', '--format', '{{.State.ExitCode}}', target);
      expect(ended, engine.logsOf(target)).toBe('0');

      engine.run('podman', 'start', target);
      await untilOpen(2);
      expectHealthy();
      expect(secrets()).toEqual(before);
    },
  );
});
