// Builds the product's image into a folder by the Dockerfile's steps and starts it there, read-only and as its user. No
// base image is needed: this machine's programs replace Debian's, and a Node 24 from the npm registry the image's.
// About five minutes; needs root, unshare and setpriv on Linux.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readStages, type Stage, type Step, stepsOf, wordsOf } from '#tests/support/dockerfile.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { fetchNode, runtimes } from '../../tools/testing/runtimes.ts';

const UID = 10001;
const stages = readStages('Dockerfile');
const letIn = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

let images: string;
let nodeFolder: string;

/** Runs a command with a stage's folder as its root; it sees this machine's programs read-only. */
function chrootScript(root: string, command: string, isReadOnly = false): string[] {
  const shared = ['/usr', '/bin', '/lib', '/lib64', '/etc', '/opt/node'];
  const mounts = shared
    .filter((path) => path === '/opt/node' || existsSync(path))
    .map((path) => {
      const source = path === '/opt/node' ? nodeFolder : path;
      return `mkdir -p ${root}${path} && mount --bind ${source} ${root}${path} && mount -o remount,bind,ro ${root}${path}`;
    });
  const script = [
    'set -e',
    `mount --bind ${root} ${root}`,
    ...mounts,
    `mkdir -p ${root}/proc ${root}/dev ${root}/tmp ${root}/data`,
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    // The volume stays writable.
    ...(isReadOnly ? [`mount --bind ${root}/data ${root}/data`, `mount -o remount,bind,ro ${root}`] : []),
    command,
  ].join('\n');
  return ['-m', '--propagation', 'private', 'sh', '-c', script];
}

const PATH = '/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function performRun(root: string, step: Step, environment: Record<string, string>): void {
  const npmSettings = Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(npm_config_(registry|cafile)|NODE_EXTRA_CA_CERTS|https?_proxy)$/i.test(name),
    ),
  );
  const variables = Object.entries({ PATH, HOME: '/tmp', ...npmSettings, ...environment });
  const assigned = variables.map(([name, value]) => `${name}='${value}'`).join(' ');
  const command = `exec chroot ${root} env -i ${assigned} sh -c 'cd /app && ${step.text}'`;
  execFileSync('unshare', chrootScript(root, command), { stdio: ['ignore', 'ignore', 'inherit'] });
}

function performCopy(root: string, { args, flags }: Step): void {
  const target = join(root, 'app', args.at(-1) ?? '');
  for (const source of args.slice(0, -1)) {
    const from = flags.from ? join(images, flags.from, source) : source;
    if (source === '.') {
      for (const name of letIn) cpSync(name, join(target, name), { recursive: true });
      continue;
    }
    if (!flags.from) expect(letIn, 'outside of what .dockerignore lets in').toContain(source);
    const to = args.at(-1) === './' ? join(target, source) : target;
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

function perform(stage: Stage): void {
  const root = join(images, stage.name);
  const below = stages.find(({ name }) => name === stage.from);
  if (below) execFileSync('cp', ['-a', join(images, below.name), root]);
  else mkdirSync(join(root, 'app'), { recursive: true });
  for (const step of stage.steps) {
    if (step.keyword === 'COPY') performCopy(root, step);
    if (step.keyword === 'RUN') performRun(root, step, environmentOf(stage.name));
  }
}

const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    stepsOf(stages, name)
      .filter(({ keyword }) => keyword === 'ENV')
      .map(({ text }) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );

/** The container's command, as its user, on a read-only root. */
function startContainer(name: string, command: readonly string[], settings: Record<string, string>) {
  const root = join(images, name);
  const variables = Object.entries({ PATH, HOME: '/nonexistent', ...environmentOf(name), ...settings });
  const drop = `setpriv --reuid=${UID} --regid=${UID} --clear-groups --no-new-privs --bounding-set=-all`;
  const assigned = variables.map(([variable, value]) => `${variable}='${value}'`).join(' ');
  const script = `exec chroot ${root} sh -c "cd /app && exec ${drop} env -i ${assigned} ${command.join(' ')}"`;
  const child = spawn('unshare', chrootScript(root, script, true), { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  return { child, ended, output: () => output };
}

beforeAll(() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('Starting the image as its own user needs root on Linux; here it cannot be shown.');
  nodeFolder = fetchNode(runtimes[24]);
  images = mkdtempSync(join(tmpdir(), 'keepsake-image-'));
  // Its user has to reach the folder.
  execFileSync('chmod', ['755', images]);
  // Upon PostgreSQL's own image, which is not here: tests/image.test.ts reads its steps.
  for (const stage of stages) if (stage.name !== 'backup') perform(stage);
});
afterAll(() => {
  if (images) rmSync(images, { recursive: true, force: true });
});

const mebibytesIn = (folder: string): number =>
  Number(execFileSync('du', ['-sm', '--apparent-size', folder], { encoding: 'utf8' }).split('\t')[0]);
const allFiles = (folder: string) => readdirSync(folder, { recursive: true }) as string[];

test('The image contains packages and bundles, but no sandbox, tests or build tools', () => {
  const app = join(images, 'product', 'app');
  expect(readdirSync(app).sort()).toEqual(['build', 'node_modules', 'package.json']);
  expect(
    allFiles(join(app, 'build')).filter((path) => /sandbox|(?:^|\/)tests?\/|\.test\./.test(path)),
  ).toEqual([]);
  const packages = readdirSync(join(app, 'node_modules'));
  for (const name of ['tsx', 'vite', 'esbuild', 'typescript', 'smtp-server', 'postal-mime', 'selfsigned'])
    expect(packages).not.toContain(name);
  for (const scope of ['@types', '@electric-sql']) expect(packages).not.toContain(scope);
  // With a Debian and a Node of some 220 MB below it the whole stays under 400.
  expect(mebibytesIn(app)).toBeLessThan(150);
  const data = statSync(join(images, 'product', 'data'));
  expect({ uid: data.uid, mode: data.mode & 0o777 }).toEqual({ uid: UID, mode: 0o700 });
});

test.each(['product', 'demo'])(
  '%s starts as uid 10001 on a read-only root and ends on SIGTERM',
  async (name) => {
    const firstPort = await findFreePorts(10);
    const settings = {
      PORT: String(firstPort),
      BOT_PORT: String(firstPort + 1),
      SANDBOX_PORTS_FROM: String(firstPort + 2),
      // A Twitch setting skips the sandbox, which the product's image does not have.
      ...(name === 'product' && { TWITCH_BOT_LOGIN: 'keepsake_bot', HOST: '127.0.0.1' }),
    };
    const steps = stepsOf(stages, name);
    const before = allFiles(join(images, name, 'app')).length;
    const { child, ended, output } = startContainer(name, wordsOf(steps, 'CMD'), settings);
    try {
      await vi.waitFor(() => expect(output()).toContain('Keepsake is open'), {
        timeout: 180_000,
        interval: 200,
      });
      expect(readFileSync(`/proc/${child.pid}/status`, 'utf8')).toMatch(
        new RegExp(`^Uid:\\s+${UID}\\s`, 'm'),
      );
      const health = startContainer(name, wordsOf(steps, 'HEALTHCHECK'), settings);
      expect(await health.ended, health.output()).toEqual({ code: 0, signal: null });
      const probe = startContainer(name, ['touch', '/app/build/new'], settings);
      expect((await probe.ended).code).toBe(1);
      expect(probe.output()).toContain('Read-only file system');
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended, output()).toEqual({ code: 0, signal: null });
    expect(readdirSync(join(images, name, 'data'))).toContain('keepsake.db');
    expect(allFiles(join(images, name, 'app')).length).toBe(before);
  },
);

test('Without settings the product says that it has no sandbox', async () => {
  const firstPort = await findFreePorts(2);
  const settings = { PORT: String(firstPort), BOT_PORT: String(firstPort + 1) };
  const { ended, output } = startContainer('product', ['node', 'build/start.js'], settings);
  expect(await ended).toEqual({ code: 1, signal: null });
  expect(output()).toContain('comes without the sandbox');
});

test('Web and bot start without the supervisor, after `migrate`', async () => {
  const firstPort = await findFreePorts(2);
  const settings = { PORT: String(firstPort), BOT_PORT: String(firstPort + 1), HOST: '127.0.0.1' };
  const migrated = startContainer('product', ['node', 'build/keepsake.js', 'migrate'], settings);
  expect(await migrated.ended, migrated.output()).toEqual({ code: 0, signal: null });
  const both = ['web', 'bot'].map((name) =>
    startContainer('product', ['node', `build/${name}.js`], settings),
  );
  try {
    await vi.waitFor(
      async () => {
        const health = startContainer('product', ['node', 'build/healthcheck.js'], settings);
        expect((await health.ended).code).toBe(0);
      },
      { timeout: 120_000, interval: 500 },
    );
  } finally {
    for (const { child } of both) child.kill('SIGTERM');
  }
  for (const { ended, output } of both) expect(await ended, output()).toEqual({ code: 0, signal: null });
});
