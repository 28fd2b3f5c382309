import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readStages, stepsOf, wordsOf } from '#tests/support/dockerfile.ts';

const stages = readStages('Dockerfile');
const shipped = ['product', 'demo'];
/** Beside a PostgreSQL: its image, with the product in it. */
const beside = 'backup';
const ownNames = new Set(stages.map(({ name }) => name));

const digest = '(@sha256:[0-9a-f]{64})?';
/** A base by its version, and by its content too where somebody has added the digest. */
const pinnedBase = new RegExp(`^node:24-\\w+-slim${digest}$`);
const pinnedService = new RegExp(`^keepsake$|^[\\w/]+:\\d[\\w.-]*${digest}$`);

test('A digest may be added to the version of an image, and does not replace it', () => {
  const sum = `sha256:${'0a'.repeat(32)}`;
  expect(`node:24-bookworm-slim@${sum}`).toMatch(pinnedBase);
  expect(`caddy:2.10-alpine@${sum}`).toMatch(pinnedService);
  for (const image of [`node@${sum}`, 'node:24-bookworm-slim@sha256:0a', `caddy@${sum}`, 'caddy:latest'])
    expect([pinnedBase.test(image), pinnedService.test(image)], image).toEqual([false, false]);
});

test('Images are based on one slim Node 24, pinned by version, and the product is the default target', () => {
  const outside = stages
    .filter(({ name }) => name !== beside)
    .map(({ from }) => from)
    .filter((from) => !ownNames.has(from));
  expect(outside).toEqual([expect.stringMatching(pinnedBase)]);
  expect(stages.at(-1)?.name).toBe('product');
});

test.each(shipped)('%s runs as a fixed user, stores everything in /data and has a health check', (name) => {
  const steps = stepsOf(stages, name);
  const all = (keyword: string) => steps.filter((step) => step.keyword === keyword);
  expect(all('USER').map(({ text }) => text)).toEqual(['10001:10001']);
  expect(all('VOLUME').map(({ text }) => text)).toEqual(['/data']);
  expect(all('ENV').map(({ text }) => text)).toContain('KEEPSAKE_DATA_DIR=/data');
  expect(wordsOf(steps, 'HEALTHCHECK')).toEqual(['node', 'build/healthcheck.js']);
  expect(wordsOf(steps, 'CMD')).toEqual(['node', 'build/start.js']);
});

test('Images contain only production packages and bundles', () => {
  for (const name of shipped) {
    const copied = stepsOf(stages, name).filter(({ keyword }) => keyword === 'COPY');
    expect(copied.map(({ args }) => args.slice(0, -1))).toEqual([
      ['package.json'],
      ['/app/node_modules'],
      ['/app/build'],
    ]);
  }
  const packages = stepsOf(stages, 'packages').find(({ keyword }) => keyword === 'RUN');
  expect(packages?.text).toContain('npm ci --omit=dev ');
});

test('The product’s image does not contain the sandbox', () => {
  const product = stages.find(({ name }) => name === 'product');
  expect(product?.steps.find(({ keyword }) => keyword === 'COPY')?.flags.from).toBe('product-build');
  expect(stages.find(({ name }) => name === 'product-build')?.steps.map(({ text }) => text)).toEqual([
    'rm -r build/sandbox',
  ]);
});

test('The image for backups has the client programs of the PostgreSQL beside it, and the same Node and packages', () => {
  const { from = '', steps = [] } = stages.find(({ name }) => name === beside) ?? {};
  const [, version] = /^postgres:(\d+)-bookworm$/.exec(from) ?? [];
  expect(services.postgres?.image).toMatch(new RegExp(`^postgres:${version}-`));
  // Its system is the one that the packages were compiled for.
  expect(stages.find(({ name }) => name === 'base')?.from).toContain('bookworm');
  const copied = steps.filter(({ keyword }) => keyword === 'COPY');
  expect(copied.map(({ args, flags }) => [flags.from, args[0]])).toEqual([
    ['base', '/usr/local/bin/node'],
    [undefined, 'package.json'],
    ['packages', '/app/node_modules'],
    ['product-build', '/app/build'],
  ]);
  expect(steps.findLast(({ keyword }) => keyword === 'USER')?.text).toBe('10001:10001');
  expect(wordsOf(steps, 'CMD')).toEqual(['node', 'build/keepsake.js', 'backup', '--repeat']);
  const { backup, web } = services;
  expect(backup?.build?.target).toBe(beside);
  // It takes secrets and settings into backups, and doctor and the bot read the results.
  expect(backup?.volumes).toEqual(web?.volumes);
  expect(backup?.environment).toEqual(web?.environment);
  expect(backup?.depends_on).toEqual(web?.depends_on);
});

test('Every step can be cached and understood', () => {
  for (const { keyword, text } of stages.flatMap(({ steps }) => steps)) {
    expect(['ADD', 'MAINTAINER', 'SHELL', 'ENTRYPOINT']).not.toContain(keyword);
    expect(text).not.toMatch(/\bsudo\b|\bcurl\b|:latest|apt-get|npm (install|i)\b/);
  }
});

const [first, ...letIn] = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'));

test('Every script that the build runs is copied, with all that it imports', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const run = `${scripts.build} ${scripts.sbom}`.match(/\S+\.ts\b/g) ?? [];
  expect(run.length).toBeGreaterThan(2);
  const { metafile } = await build({
    entryPoints: [...run, 'vite.config.ts', 'react-router.config.ts'],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    outdir: 'build',
    metafile: true,
    logLevel: 'silent',
  });
  const isLetIn = (path: string) => letIn.some((line) => `${path}/`.startsWith(`${line.slice(1)}/`));
  expect(Object.keys(metafile.inputs).filter((path) => !isLetIn(path))).toEqual([]);
});

test('Only files that the build reads are copied', () => {
  expect(first).toBe('*');
  for (const line of letIn) {
    expect(line).toMatch(/^![\w./-]+$/);
    expect(existsSync(line.slice(1)), `${line} names nothing`).toBe(true);
  }
  for (const name of ['data', 'node_modules', 'tests', '.git', '.env'])
    expect(letIn).not.toContain(`!${name}`);
});

interface Service {
  image: string;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  build?: { target: string };
  profiles?: string[];
  command?: string[];
  environment?: Record<string, string>;
  deploy?: { replicas: number };
  healthcheck?: { test?: string[]; disable?: boolean };
  ports?: string[];
  read_only?: boolean;
  tmpfs?: string[];
  volumes?: string[];
  restart?: string;
  depends_on?: Record<string, { condition: string }>;
}

const readCompose = (file: string) =>
  parse(readFileSync(file, 'utf8'), { merge: true }) as {
    name: string;
    services: Record<string, Service>;
    volumes: Record<string, null>;
  };

/** One box on SQLite, and the services that replace it with PostgreSQL: one of each, or several. */
const composed = {
  box: readCompose('compose.yaml'),
  postgres: readCompose('compose.postgres.yaml'),
  cluster: readCompose('compose.cluster.yaml'),
};
const { services } = composed.postgres;
const everyService = Object.values(composed).flatMap(({ services: each, volumes }) =>
  Object.entries(each).map(([name, service]) => ({ name, service, volumes })),
);

test('One container by default; with PostgreSQL in its place two web processes, one bot, backups and the database', () => {
  /** Lists the services that `docker compose up` starts from a file, without or with `--profile`. */
  const started = (kind: keyof typeof composed, profile?: string) =>
    Object.entries(composed[kind].services)
      .filter(([, { profiles }]) => profiles === undefined || profiles.some((each) => each === profile))
      .map(([name]) => name);
  expect(started('box')).toEqual(['keepsake']);
  expect(started('box', 'tls')).toEqual(['keepsake', 'caddy']);
  // Never both: they would be two instances with the same Steam accounts.
  expect(started('box', 'postgres')).toEqual(['keepsake']);
  const apart = ['web', 'bot', 'backup', 'migrate', 'postgres'];
  expect(started('postgres')).toEqual(apart);
  expect(started('postgres', 'tls')).toEqual([...apart, 'caddy']);
  // One project, so that Compose knows the containers of the other file for orphans, and the data is the same.
  expect(composed.postgres.name).toBe(composed.box.name);
  expect(services.web?.deploy?.replicas).toBe(2);
  expect(services.bot?.deploy).toBeUndefined();
  expect(services.web?.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  expect(services.migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
});

test('The cluster has three of each process, every bot under its own name, and the settings that were tried', () => {
  const { services: many, name } = composed.cluster;
  expect(name).toBe(composed.box.name);
  const numbers = ['1', '2', '3'];
  for (const n of numbers) {
    expect(many[`web-${n}`]?.command).toEqual(['node', 'build/web.js']);
    expect(many[`bot-${n}`]?.command).toEqual(['node', 'build/bot.js']);
    expect(many[`bot-${n}`]?.environment?.BOT_URL).toBe(`http://bot-${n}:3001`);
  }
  const addresses = { ...many.front?.environment, ...many.database?.environment };
  // HAProxy looks every name up when it starts.
  const waitedFor = ['front', 'database'].flatMap((each) => Object.values(many[each]?.depends_on ?? {}));
  expect(waitedFor.length).toBe(5);
  for (const [place, n] of numbers.entries()) {
    expect(addresses[`WEB_${n}`]).toBe(`web-${n}:3000`);
    if (place < 2) expect(addresses[`POSTGRES_${n}`]).toBe(`postgres-${n}:5432`);
  }
  for (const part of ['web', 'postgres'])
    for (const [, variable = ''] of readFileSync(`docs/hosting/haproxy-${part}.cfg`, 'utf8').matchAll(
      /"\$\{(\w+)/g,
    ))
      expect(addresses, variable).toHaveProperty(variable);
});

test('With PostgreSQL the containers are as closed as the one box', () => {
  const { ports: _ports, healthcheck: _health, ...box } = composed.box.services.keepsake as Service;
  expect(box).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  for (const name of ['web', 'bot']) expect(services[name], name).toMatchObject(box);
  for (const { services: each } of [composed.postgres, composed.cluster])
    for (const name of ['backup', 'migrate'])
      expect({
        ...each[name],
        ...{ image: box.image, build: box.build, restart: box.restart },
      }).toMatchObject(box);
  for (const name of ['web-1', 'web-2', 'web-3', 'bot-1', 'bot-2', 'bot-3'])
    expect(composed.cluster.services[name], name).toMatchObject(box);
});

test('The health check of compose.yaml is that of the image, which Podman does not take over', () => {
  expect(composed.box.services.keepsake?.healthcheck).toEqual({
    test: ['CMD', 'node', 'build/healthcheck.js'],
    ...{ interval: '30s', timeout: '10s', start_period: '60s' },
  });
  const line =
    'HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["node", "build/healthcheck.js"]';
  expect(readFileSync('Dockerfile', 'utf8')).toContain(line);
});

test('A new database is healthy only once it answers over TCP, as it does not while it is set up', () => {
  expect(services.postgres?.healthcheck?.test).toEqual([
    'CMD',
    'pg_isready',
    '--host',
    '127.0.0.1',
    '--username',
    'keepsake',
  ]);
});

test('Every container is read-only, has a pinned version and a health check', () => {
  for (const { name, service, volumes } of everyService) {
    expect(service.read_only, name).toBe(true);
    expect(service.tmpfs, name).toContain('/tmp');
    expect(service.image).toMatch(/^keepsake(-backup)?$|^[\w/]+:\d[\w.-]*$/);
    if (service.build) expect(stages.map((stage) => stage.name)).toContain(service.build.target);
    // The image has the default container's own.
    if (name !== 'keepsake') expect(service.healthcheck, name).toBeDefined();
    // Caddy alone is open to the world.
    if (name !== 'caddy') for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      expect(source.startsWith('./') || source in volumes, volume).toBe(true);
    }
  }
});

test('The profile `tls` puts Caddy with a certificate for PUBLIC_URL before the product, and lets it do no more', () => {
  const { caddy, keepsake } = composed.box.services;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose fills it in.
  const command = ['caddy', 'reverse-proxy', '--from', '${PUBLIC_URL:-https://localhost}', '--to'];
  expect(caddy?.command).toEqual([...command, 'keepsake:3000']);
  expect(services.caddy).toEqual({ ...caddy, command: [...command, 'web:3000'] });
  expect(caddy?.ports).toEqual(['80:80', '443:443', '443:443/udp']);
  expect([caddy?.cap_drop, caddy?.cap_add]).toEqual([['ALL'], ['NET_BIND_SERVICE']]);
  expect(caddy?.security_opt).toEqual(keepsake?.security_opt);
  // A certificate that is lost at each start soon meets the limits of its authority.
  expect(caddy?.volumes).toContain('caddy:/data');
});

/** The settings of a unit by section, each with all its values. */
function unitOf(file: string): Record<string, Record<string, string[]>> {
  const unit: Record<string, Record<string, string[]>> = {};
  let section: Record<string, string[]> = {};
  for (const line of readFileSync(`docs/hosting/${file}`, 'utf8').split('\n')) {
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key = '', value = ''] = /^([A-Z]\w*)=(.*)$/.exec(line) ?? [];
    if (title) {
      section = {};
      unit[title] = section;
    } else if (key) section[key] = [...(section[key] ?? []), value];
    else expect(line).toMatch(/^(#.*)?$/);
  }
  return unit;
}

test.each([
  ['keepsake.service', '/usr/bin/node build/start.js --wait'],
  ['keepsake-web.service', '/usr/bin/node build/web.js'],
  ['keepsake-bot.service', '/usr/bin/node build/bot.js'],
  ['keepsake-web@.service', '/usr/bin/env PORT=300%i /usr/bin/node build/web.js'],
  ['keepsake-bot@.service', '/usr/bin/env BOT_PORT=301%i BOT_URL=http://%H:301%i /usr/bin/node build/bot.js'],
  // Those who require it wait until it has succeeded, also where systemd does not know RestartMode.
  [
    'keepsake-migrate.service',
    "/bin/sh -c 'n=1; until /usr/bin/node build/keepsake.js migrate --wait; do [ $$n -lt 30 ] || exit 1; n=$$((n+1)); sleep 10; done'",
  ],
  ['keepsake-backup.service', '/usr/bin/node build/keepsake.js backup'],
])('%s runs %s as its own user, who can write to the data folder alone', (file, command) => {
  const { Service: service = {}, Unit: unit = {}, Install: install = {} } = unitOf(file);
  const isBackup = file === 'keepsake-backup.service';
  expect(service.ExecStart).toEqual(isBackup ? [command, command.replace('backup', 'drill')] : [command]);
  expect(service.RestartMode).toBeUndefined();
  expect(service.User).toEqual(['keepsake']);
  expect(service.StateDirectory).toEqual(['keepsake']);
  expect(service.StateDirectoryMode).toEqual(['0700']);
  expect(service.Environment).toContain('KEEPSAKE_DATA_DIR=/var/lib/keepsake');
  expect(service.EnvironmentFile).toEqual(['/etc/keepsake/keepsake.env']);
  for (const [key, value] of Object.entries({
    NoNewPrivileges: 'true',
    ProtectSystem: 'strict',
    ProtectHome: 'true',
    CapabilityBoundingSet: '',
    UMask: '0077',
    ProtectProc: 'invisible',
    PrivateUsers: 'true',
    DevicePolicy: 'closed',
  }))
    expect({ [key]: service[key] }).toEqual({ [key]: [value] });
  expect(service.SystemCallFilter).toEqual(['@system-service', '~@privileged @resources @obsolete']);
  // V8 makes code while it runs.
  expect(service.MemoryDenyWriteExecute).toBeUndefined();
  // A timer starts the backup.
  expect(install.WantedBy).toEqual(isBackup ? undefined : ['multi-user.target']);
  if (/web|bot/.test(file)) expect(unit.Requires).toEqual(['keepsake-migrate.service']);
});

test('A timer starts a backup every day, also one that was missed', () => {
  const { Timer: timer = {}, Install: install = {} } = unitOf('keepsake-backup.timer');
  expect(timer.OnCalendar).toEqual(['*-*-* 04:00']);
  expect(timer.Persistent).toEqual(['true']);
  expect(install.WantedBy).toEqual(['timers.target']);
  expect(unitOf('keepsake-backup.service').Service?.Type).toEqual(['oneshot']);
});

test('The migration is tried again for a while, and then fails', () => {
  const [command = ''] = unitOf('keepsake-migrate.service').Service?.ExecStart ?? [];
  const script = (/^\/bin\/sh -c '(.*)'$/.exec(command)?.[1] ?? '').replaceAll('$$', '$');
  const run = (attempt: string) =>
    spawnSync(
      '/bin/sh',
      [
        '-c',
        script
          .replace('/usr/bin/node build/keepsake.js migrate --wait', attempt)
          .replace('sleep 10', 'echo again'),
      ],
      { encoding: 'utf8' },
    );
  const failed = run('false');
  expect([failed.status, failed.stdout.match(/again/g)?.length]).toEqual([1, 29]);
  expect(run('[ $n -eq 3 ]')).toMatchObject({ status: 0, stdout: 'again\nagain\n' });
});

const analyze = spawnSync('systemd-analyze', ['security', '--help']);

test.skipIf(analyze.status !== 0)('systemd finds little that a unit is exposed to', () => {
  const files = readdirSync('docs/hosting').filter((name) => name.endsWith('.service'));
  for (const file of files) {
    const args = ['security', '--offline=yes', '--no-pager', `docs/hosting/${file}`];
    const { stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    expect([file, exposure <= 2]).toEqual([file, true]);
  }
});
