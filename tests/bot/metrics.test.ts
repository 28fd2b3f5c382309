import { readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { registry as web } from '#app/http/metrics.server.ts';
import { createLog } from '#bot/log.ts';
import { registry as bot, databaseWaits, readMetrics } from '#bot/metrics.ts';
import { build } from '#bot/server.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { startWorker } from '#bot/worker.ts';
import { measureWaits } from '#db/engine/measured-waits.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { day } from '#domain/kernel/time.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';
import { hurriedPace, setSteamStage, until } from '#tests/support/steam-stage.ts';

const token = 'a token of more than 32 characters';
const folder = 'docs/monitoring';

/** The values of one measurement in Prometheus' text format, by their labels. */
function valuesOf(text: string, name: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

test('Every name in the dashboard, the alert rules and their description is measured, and none is left out', async () => {
  const metrics = [...(await web.getMetricsAsJSON()), ...(await bot.getMetricsAsJSON())];
  const known = new Set(
    metrics.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [name, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
  const named = new Map(
    readdirSync(folder).map((file) => [
      file,
      readFileSync(`${folder}/${file}`, 'utf8').match(/\b(?:keepsake|nodejs|process)_[a-z\d_]+/g) ?? [],
    ]),
  );
  for (const [file, names] of named)
    expect([file, names.filter((name) => !known.has(name) && !name.endsWith('_'))]).toEqual([file, []]);
  const described = new Set(named.get('README.md'));
  const own = metrics.map(({ name }) => name).filter((name) => name.startsWith('keepsake_'));
  expect(own.filter((name) => !described.has(name))).toEqual([]);
});

test('What has increased is asked of counters alone, and what is now of everything else', async () => {
  const metrics = [...(await web.getMetricsAsJSON()), ...(await bot.getMetricsAsJSON())];
  const growing = new Set(
    metrics.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [],
    ),
  );
  for (const { name, type } of metrics) if (String(type) === 'counter') growing.add(name);
  const asked = ['alerts.yml', 'dashboard.json'].flatMap((file) => [
    ...readFileSync(`${folder}/${file}`, 'utf8').matchAll(
      /(?:(\w+)\()?\b((?:keepsake|nodejs|process)_[a-z\d_]+)(?:\{[^}]*\})?(\[\w+\])?/g,
    ),
  ]);
  const wrong = asked.filter(([, by = '', name = '', range]) => {
    // A gauge that fell and rose again has not increased, and a difference of two moments hides what was between them.
    const isIncrease = range !== undefined && ['increase', 'rate'].includes(by);
    return growing.has(name) ? !isIncrease : range !== undefined;
  });
  expect(asked.length).toBeGreaterThan(40);
  expect(wrong.map(([text]) => text)).toEqual([]);
});

test('A code of Twitch’s faults is counted from its first fault on, because all begin with 0', async () => {
  const { db, clock } = (await setSteamStage()).deps();
  const text = await readMetrics(db.read, clock.now());
  expect(Object.keys(valuesOf(text, 'keepsake_twitch_errors_total'))).toContain(
    '{code="applicationRefused"}',
  );
});

test('Alert rules and dashboard can be read by Prometheus and Grafana', () => {
  const { groups } = parse(readFileSync(`${folder}/alerts.yml`, 'utf8')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
  };
  const rules = groups.flatMap(({ rules }) => rules);
  expect(rules.length).toBeGreaterThan(8);
  for (const { alert, expr, annotations } of rules)
    expect([alert, expr, annotations.summary]).not.toContain('');
  const { panels } = JSON.parse(readFileSync(`${folder}/dashboard.json`, 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  expect(panels.every(({ targets }) => targets.length > 0)).toBe(true);
});

test('Only who knows the token reads the measurements', async () => {
  const stage = await setSteamStage();
  const deps = stage.deps();
  const steam = startSteam(stage.deps([]), hurriedPace);
  onTestFinished(() => steam.stop());
  await takeLeases(deps.db, holderNamed('two'), ['twitch:1', 'twitch:2']);
  await endLeases(deps.db, ['twitch:1', 'twitch:2']);
  await takeLeases(deps.db, holderNamed('one'), ['steam', 'twitch:1', 'twitch:3']);
  const serve = (metricsToken: string | null) => {
    const config = { ...deps.config, secret: 'the secret of the web process', metricsToken };
    const twitch = { leaveChannel: async () => true };
    const away = { report: () => ({ 'steam: demo': { state: 'starting' as const } }) };
    const demo = { ...away, nudge() {}, stop: async () => {} };
    const server = build({ ...deps, config, steam, twitch, parts: [steam, demo] });
    onTestFinished(() => server.close());
    return (authorization?: string) =>
      server.inject({ url: '/metrics', headers: authorization ? { authorization } : {} });
  };
  const ask = serve(token);
  expect((await ask()).statusCode).toBe(404);
  expect((await ask('Bearer another')).statusCode).toBe(404);
  expect((await serve(null)('Bearer null')).statusCode).toBe(404);
  const read = await ask(`Bearer ${token}`);
  expect([read.statusCode, read.headers['content-type']]).toEqual([
    200,
    expect.stringContaining('text/plain'),
  ]);
  expect(read.body).toContain('nodejs_eventloop_lag_p99_seconds');
  const [bySteam, byOne] = [
    '{part="steam",address="http://one:3001"}',
    '{part="slots",address="http://one:3001"}',
  ];
  expect(valuesOf(read.body, 'keepsake_leases')).toEqual({ [bySteam]: 1, [byOne]: 2 });
  expect(valuesOf(read.body, 'keepsake_leases_free')).toEqual({ '{part="steam"}': 0, '{part="slots"}': 1 });
  expect(valuesOf(read.body, 'keepsake_lease_epochs')).toEqual({ '{part="steam"}': 1, '{part="slots"}': 4 });
  expect(valuesOf(read.body, 'keepsake_lease_left_seconds')[bySteam]).toBeGreaterThan(5);
  expect(valuesOf(read.body, 'keepsake_bot_ready')).toEqual({ '{bot="demo"}': 0 });
  expect(read.body).toContain('keepsake_backup_age_seconds{command="backup"} +Inf');
});

test('Mail that waits, failed calls, rounds of workers and waits for the database are measured', async () => {
  const { db, clock } = (await setSteamStage()).deps();
  const measured = measureWaits(db, (seconds) => databaseWaits.observe(seconds));
  const before = await readMetrics(db.read, clock.now());
  await measured.transaction((tx) =>
    queueMail(
      tx,
      {
        recipient: 'a@example.org',
        template: 'verifyEmail',
        locale: 'en',
        values: { token: 'b' },
      },
      clock.now() - 60_000,
    ),
  );
  await db.transaction((tx) =>
    queueMail(
      tx,
      {
        ...{ recipient: 'a@example.org', template: 'verifyEmail', locale: 'en' },
        ...{ values: { token: 'b' }, runAtMs: clock.now() + day },
      },
      clock.now() - day,
    ),
  );
  expect(new TwitchFault('rateLimited', 'no points').code).toBe('rateLimited');
  let rounds = 0;
  const run = async () => {
    rounds += 1;
    if (rounds === 1) throw new Error('it failed');
    return null;
  };
  const worker = startWorker({ name: 'measured', everyMs: 1, run, log: createLog('silent') });
  await until(() => rounds > 1, 'a second round');
  await worker.stop();
  const after = await readMetrics(db.read, clock.now());
  const grown = (name: string, labels = '') =>
    (valuesOf(after, name)[labels] ?? 0) - (valuesOf(before, name)[labels] ?? 0);
  expect(valuesOf(after, 'keepsake_mails_waiting')).toEqual({ '': 1 });
  expect(valuesOf(after, 'keepsake_mails_oldest_seconds')['']).toBeGreaterThanOrEqual(60);
  expect(valuesOf(after, 'keepsake_mails_oldest_seconds')['']).toBeLessThan(3600);
  expect(grown('keepsake_twitch_errors_total', '{code="rateLimited"}')).toBe(1);
  expect(grown('keepsake_database_wait_seconds_count')).toBe(1);
  expect(grown('keepsake_worker_round_seconds_count', '{worker="measured",outcome="failed"}')).toBe(1);
  expect(grown('keepsake_worker_round_seconds_count', '{worker="measured",outcome="done"}')).toBeGreaterThan(
    0,
  );
});
