import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readWebConfiguration } from '#app/config.server.ts';
import { describeFaults, readOrCreateSecret } from '#platform/configuration.ts';
import { webEnvironment } from './support/web-environment.ts';

function faultsOf(environment: Record<string, string>) {
  const outcome = readWebConfiguration(environment);
  return outcome.ok ? [] : outcome.faults;
}

function valuesOf(environment: Record<string, string>) {
  const outcome = readWebConfiguration(environment);
  if (!outcome.ok) throw new Error(describeFaults(outcome.faults));
  return outcome.values;
}

function fileWith(content: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'keepsake-secret-')), 'secret');
  writeFileSync(path, content);
  return path;
}

describe('the web process’s configuration', () => {
  test('is complete with only a data folder', () => {
    const { KEEPSAKE_DATA_DIR = '' } = webEnvironment();
    const values = valuesOf({ KEEPSAKE_DATA_DIR });
    expect(values).toMatchObject({ port: 3000, host: '127.0.0.1', databaseUrl: null, secure: false });
    expect(values.publicUrl.href).toBe('http://localhost:3000/');
    expect(values.sessionSecret).toMatch(/^[0-9a-f]{64}$/);
    expect(valuesOf({ KEEPSAKE_DATA_DIR }).sessionSecret).toBe(values.sessionSecret);
  });

  test.each([
    [{ HOST: '::' }, undefined],
    [{ HOST: '[::1]' }, '::1'],
    [{ HOST: '::1' }, '::1'],
    [{ HOST: '0.0.0.0' }, '0.0.0.0'],
  ])('listens where HOST says: %j', (more, host) => {
    expect(valuesOf(webEnvironment(more))).toMatchObject({ host });
  });

  test.each([
    [{ PUBLIC_URL: 'https://localhost:3000' }, null],
    [{ PUBLIC_URL: 'http://keepsake.example' }, null],
    [{ PUBLIC_URL: 'https://keepsake.example' }, 'max-age=31536000'],
    [
      { PUBLIC_URL: 'https://keepsake.example', HSTS_SUBDOMAINS: 'on' },
      'max-age=31536000; includeSubDomains',
    ],
  ])('asks browsers for https where that harms nobody: %j', (more, hsts) => {
    expect(valuesOf(webEnvironment(more))).toMatchObject({ hsts });
  });

  test('listens on all interfaces only with a public URL', () => {
    const { HOST: _, ...environment } = webEnvironment({ PUBLIC_URL: 'https://keepsake.example' });
    expect(valuesOf(environment)).toMatchObject({ host: undefined, secure: true });
  });

  test.each([
    ['PORT', '70000', 'must be a port number from 0 to 65535'],
    ['PORT', 'http', 'must be a port number from 0 to 65535'],
    ['PUBLIC_URL', 'keepsake.example', 'must be an http or https address'],
    ['PUBLIC_URL', 'https://keepsake.example/app', 'must be an address without a path'],
    ['DATABASE_URL', 'mysql://localhost', 'must begin with postgres://'],
    ['ENCRYPTION_KEY', 'short', 'must be 64 hexadecimal digits'],
    ['SESSION_SECRET', 'short', 'must have at least 32 characters'],
    ['STEAM_IMAGE_URL', 'https://images.example/economy', 'must end with a slash'],
    ['STEAM_COMMUNITY_URL', 'https://steam.example/community', 'must end with a slash'],
    ['TWITCH_SITE_URL', 'https://twitch.example/channels', 'must end with a slash'],
    ['LOG_LEVEL', 'loud', 'must be fatal, error, warn, info, debug, trace or silent'],
    ['PAID_DRAWS', 'yes', 'must be refuse or allow'],
    [
      'TRUST_PROXY',
      'yes',
      'must be true, false, a number of proxies from 0 to 10, or networks such as 10.0.0.0/8,fd00::/8',
    ],
  ])('reports %s=%s as a fault', (variable, value, problem) => {
    const faults = faultsOf(webEnvironment({ [variable]: value }));
    expect(faults).toMatchObject([{ variable, problem }]);
    expect(faults[0]?.example).toMatch(new RegExp(`^${variable}=.`));
  });

  test('loads pictures of stickers from Steam only if those of items come from there too', () => {
    const appliedAt = (more: Record<string, string>) =>
      valuesOf(webEnvironment(more)).steam.appliedImageUrl?.href;
    expect(appliedAt({})).toBe('https://cdn.steamstatic.com/apps/730/icons/econ/');
    expect(appliedAt({ STEAM_IMAGE_URL: 'https://images.example/' })).toBeUndefined();
    const own = { STEAM_APPLIED_IMAGE_URL: 'https://images.example/applied/' };
    expect(appliedAt({ STEAM_IMAGE_URL: 'https://images.example/', ...own })).toBe(
      own.STEAM_APPLIED_IMAGE_URL,
    );
  });

  test('refuses paid draws unless the operator allows them', () => {
    expect(valuesOf(webEnvironment()).paidDrawsAllowed).toBe(false);
    expect(valuesOf(webEnvironment({ PAID_DRAWS: 'allow' })).paidDrawsAllowed).toBe(true);
  });

  test('reports each fault on one line', () => {
    const faults = faultsOf(webEnvironment({ PORT: 'x', TRUST_PROXY: 'x' }));
    expect(describeFaults(faults).split('\n')).toEqual([
      'PORT must be a port number from 0 to 65535. Example: PORT=3000',
      'TRUST_PROXY must be true, false, a number of proxies from 0 to 10, or networks such as 10.0.0.0/8,fd00::/8. Example: TRUST_PROXY=true',
    ]);
  });

  test('requires a secret between web and bot on different machines', () => {
    expect(faultsOf(webEnvironment({ BOT_URL: 'http://bot.example:3001' }))).toMatchObject([
      { variable: 'BOT_SECRET' },
    ]);
  });

  test('shares a secret with the bot through the data folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keepsake-secret-'));
    const { botSecret } = valuesOf(webEnvironment({ KEEPSAKE_DATA_DIR: folder }));
    expect(botSecret).toMatch(/^[\da-f]{64}$/);
    expect(readOrCreateSecret(folder, 'bot-secret')).toBe(botSecret);
  });

  test('names the secrets that are not set when the data folder cannot be written', () => {
    const KEEPSAKE_DATA_DIR = join(fileWith('not a folder'), 'data');
    expect(faultsOf(webEnvironment({ KEEPSAKE_DATA_DIR }))).toEqual([
      {
        variable: 'BOT_SECRET',
        problem: `is not set, and the data folder ${KEEPSAKE_DATA_DIR} cannot be written (ENOTDIR)`,
        example: expect.stringMatching(/^BOT_SECRET=./),
      },
    ]);
    const named = faultsOf({ KEEPSAKE_DATA_DIR }).map(({ variable }) => variable);
    expect(named).toEqual(['ENCRYPTION_KEY', 'BOT_SECRET', 'SESSION_SECRET']);
    const BOT_SECRET = 'a secret of at least thirty-two characters';
    expect(valuesOf(webEnvironment({ KEEPSAKE_DATA_DIR, BOT_SECRET })).botSecret).toBe(BOT_SECRET);
  });

  test('reads a secret from a file', () => {
    const { SESSION_SECRET: _, ...environment } = webEnvironment();
    const path = fileWith('a secret of at least thirty-two characters\n');
    const values = valuesOf({ ...environment, SESSION_SECRET_FILE: path });
    expect(values.sessionSecret).toBe('a secret of at least thirty-two characters');
  });

  test('refuses a secret given twice, and a missing file', () => {
    const twice = faultsOf(webEnvironment({ SESSION_SECRET_FILE: fileWith('x') }));
    expect(twice).toMatchObject([
      { variable: 'SESSION_SECRET_FILE', problem: 'is set, but so is SESSION_SECRET; keep one' },
    ]);
    const missing = faultsOf(webEnvironment({ BOT_SECRET_FILE: '/nowhere/secret' }));
    expect(missing).toMatchObject([{ variable: 'BOT_SECRET_FILE' }]);
  });

  test('treats an empty variable as unset', () => {
    expect(valuesOf(webEnvironment({ DATABASE_URL: '', BOT_URL: '' })).databaseUrl).toBeNull();
  });

  test('ends the process with the faults when it is invalid', () => {
    const run = spawnSync(process.execPath, ['--import', 'tsx', 'app/main.ts'], {
      env: { PATH: process.env.PATH ?? '', ...webEnvironment({ PORT: 'x' }) },
      encoding: 'utf8',
    });
    expect(run.status).toBe(1);
    expect(run.stderr).toBe('PORT must be a port number from 0 to 65535. Example: PORT=3000\n');
  });
});

test('a generated secret is readable by its owner only and survives a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-kept-'));
  const secret = readOrCreateSecret(folder, 'session-secret');
  const path = join(folder, 'secrets', 'session-secret');
  expect(readFileSync(path, 'utf8')).toBe(secret);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readOrCreateSecret(folder, 'session-secret')).toBe(secret);
});
