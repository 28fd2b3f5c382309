import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isBuildStale } from '../../tools/build.ts';

// These read and run the result of `npm run build`.
const withBuild = test.skipIf(isBuildStale('.'));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-bundles-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a bundle from another working folder: nothing may depend on the current one. */
const run = (name: string, args: string[], environment: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(process.cwd(), 'build', name), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });

withBuild('An error in a bundle names the place in the source', () => {
  // Where secrets should be a folder, nothing expects a file.
  const data = join(folder, 'odd');
  mkdirSync(data);
  writeFileSync(join(data, 'secrets'), '');
  const { status, stderr } = run('keepsake.js', ['custody'], { KEEPSAKE_DATA_DIR: data });
  expect(status).toBe(1);
  expect(stderr).toContain('ENOTDIR');
  const line = Number(/platform\/configuration\.ts:(\d+)/.exec(stderr)?.[1]);
  expect(readFileSync('platform/configuration.ts', 'utf8').split('\n')[line - 1]).toContain('readFileSync(');
});

withBuild('The pages have a map as well', () => {
  expect(readFileSync('build/server/index.js', 'utf8').trimEnd()).toMatch(
    /\/\/# sourceMappingURL=index\.js\.map$/,
  );
});

withBuild('No page loads more scripts than its budget', () => {
  const bench = ['--import', 'tsx', 'tests/benchmarks/run.ts', 'weight'];
  const { status, stdout } = spawnSync(process.execPath, bench, { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ over: [] });
});

withBuild('`migrate` makes a store from nothing, and finds one that is up to date', () => {
  const data = join(folder, 'data');
  for (const _ of ['new', 'again']) {
    const { status, stdout, stderr } = run('keepsake.js', ['migrate'], { KEEPSAKE_DATA_DIR: data });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: 'The database is up to date.\n' });
  }
  expect(readdirSync(data)).toContain('keepsake.db');
});

withBuild.each(['web', 'bot'])('%s checks its settings without starting', (name) => {
  const data = { KEEPSAKE_DATA_DIR: join(folder, name) };
  expect(run(`check-${name}.js`, [], data)).toMatchObject({ status: 0, stderr: '' });
  const wrong = run(`check-${name}.js`, [], { ...data, LOG_LEVEL: 'loud' });
  expect(wrong.status).toBe(1);
  expect(wrong.stderr).toMatch(/^LOG_LEVEL must .+\. Example: LOG_LEVEL=info\n$/);
});

withBuild('A health check asks who is named, and fails for who does not answer or is not well', async () => {
  let status = 200;
  const web = createServer((_, response) => void response.writeHead(status).end()).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const { port } = web.address() as AddressInfo;
  const check = async (...args: string[]) => {
    const child = spawn(process.execPath, ['build/healthcheck.js', ...args], {
      env: { PATH: process.env.PATH, PORT: String(port), BOT_PORT: '1' },
      stdio: 'ignore',
    });
    return (await once(child, 'exit'))[0] as number;
  };
  expect(await check('web')).toBe(0);
  expect(await check('bot')).toBe(1);
  expect(await check()).toBe(1);
  expect(await check('nobody')).toBe(1);
  status = 503;
  expect(await check('web')).toBe(1);
  web.close();
});

/** The packages that a folder's files import. */
function importedBy(folder: string): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.js')))
    for (const { fileName } of ts.preProcessFile(readFileSync(join(folder, file), 'utf8')).importedFiles) {
      const [first = '', second = ''] = fileName.split('/');
      if (/^[\w@]/.test(first) && !first.startsWith('node:'))
        names.add(first.startsWith('@') ? `${first}/${second}` : first);
    }
  return names;
}

withBuild('The production dependencies are what the product imports, and the sandbox needs no more', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const all: Record<string, string> = { ...dependencies, ...optionalDependencies };
  // A package of our own stands in for one that another package imports.
  const installed = Object.keys(all)
    .filter((name) => !all[name]?.startsWith('file:'))
    .sort();
  const product = new Set(
    ['build', 'build/server', 'build/server/assets'].flatMap((folder) => [...importedBy(folder)]),
  );
  expect([...product].sort()).toEqual(installed);
  expect([...importedBy('build/sandbox')].filter((name) => !installed.includes(name))).toEqual([]);
});
