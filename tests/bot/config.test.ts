import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBotConfiguration } from '#bot/config.ts';
import { describeFaults, type Environment } from '#platform/configuration.ts';

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'keepsake-config-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function faultsOf(environment: Environment): string[] {
  const outcome = readBotConfiguration({ KEEPSAKE_DATA_DIR: folder(), ...environment });
  if (outcome.ok) throw new Error('the configuration was taken');
  return describeFaults(outcome.faults).split('\n');
}

function botsFile(content: string) {
  const path = join(folder(), 'bots.json');
  writeFileSync(path, content);
  return path;
}

const identitySecret = Buffer.alloc(20, 1).toString('base64');

test('Without variables the bot listens on loopback with Steam, Twitch and mail off, and stores a generated key', () => {
  const dataFolder = folder();
  const read = () => readBotConfiguration({ KEEPSAKE_DATA_DIR: dataFolder });
  const outcome = read();
  expect(outcome).toMatchObject({
    ok: true,
    values: {
      host: '127.0.0.1',
      port: 3001,
      steam: { bots: [] },
      twitch: { clientId: null },
      mail: { smtpUrl: null },
    },
  });
  const stored = (name: string) => readFileSync(join(dataFolder, 'secrets', name), 'utf8');
  expect(outcome.ok && [outcome.values.encryptionKey, outcome.values.secret]).toEqual([
    stored('encryption-key'),
    stored('bot-secret'),
  ]);
  expect(read()).toEqual(outcome);
});

test('Every fault is one line with the variable and an example', () => {
  const lines = faultsOf({ BOT_PORT: 'many', SMTP_URL: 'mail.example', LOG_LEVEL: 'loud' });
  expect(lines).toHaveLength(3);
  expect(lines.find((line) => line.startsWith('BOT_PORT'))).toBe(
    'BOT_PORT must be a port number from 0 to 65535. Example: BOT_PORT=3001',
  );
});

test('A process does everything, or the parts that it is given', () => {
  const rolesOf = (given: Environment) => {
    const outcome = readBotConfiguration({ KEEPSAKE_DATA_DIR: folder(), ...given });
    return outcome.ok && [...outcome.values.roles];
  };
  expect(rolesOf({})).toEqual(['steam', 'twitch', 'housekeeping']);
  expect(rolesOf({ BOT_ROLES: 'twitch' })).toEqual(['twitch']);
  expect(rolesOf({ BOT_ROLES: 'housekeeping,steam' })).toEqual(['housekeeping', 'steam']);
  for (const wrong of ['mail', 'steam, twitch', 'steam,', 'Steam'])
    expect(faultsOf({ BOT_ROLES: wrong })).toEqual([
      'BOT_ROLES must be steam, twitch or housekeeping, or several of them with commas between. Example: BOT_ROLES=twitch',
    ]);
});

test('Without loopback, a shared secret is required', () => {
  expect(faultsOf({ HOST: '0.0.0.0' })).toEqual([
    'BOT_SECRET is not set, but HOST lets other machines in. Set BOT_SECRET to a line of at least 32 characters.',
  ]);
});

test('A data folder that cannot be written is a fault of the secrets that are not set', () => {
  const KEEPSAKE_DATA_DIR = join(botsFile('not a folder'), 'data');
  expect(faultsOf({ KEEPSAKE_DATA_DIR, ENCRYPTION_KEY: 'ab'.repeat(32) })).toEqual([
    `BOT_SECRET is not set, and the data folder ${KEEPSAKE_DATA_DIR} cannot be written (ENOTDIR). Set BOT_SECRET to a line of at least 32 characters.`,
  ]);
});

test('Trade bots can be listed with a token or a password', () => {
  const path = botsFile(
    JSON.stringify([
      { name: 'a', refreshToken: 't', identitySecret },
      { name: 'b', accountName: 'n', password: 'p', sharedSecret: identitySecret, identitySecret },
    ]),
  );
  const outcome = readBotConfiguration({ KEEPSAKE_DATA_DIR: folder(), STEAM_BOTS_FILE: path });
  expect(outcome.ok && outcome.values.steam.bots.map(({ name }) => name)).toEqual(['a', 'b']);
});

const faultyFiles: [string, string, RegExp][] = [
  ['that is not JSON', 'bots', /not JSON/],
  ['that is no list', '{}', /list of bots/],
  [
    'with a short secret',
    '[{"name":"a","refreshToken":"t","identitySecret":"x"}]',
    /entry 1: identitySecret/,
  ],
  [
    'without a password',
    `[{"name":"a","accountName":"n","identitySecret":"${identitySecret}"}]`,
    /entry 1: password/,
  ],
];
for (const [what, content, line] of faultyFiles)
  test(`A bots file ${what} is reported as a fault`, () => {
    const lines = faultsOf({ STEAM_BOTS_FILE: botsFile(content) });
    expect(lines[0]).toMatch(/^STEAM_BOTS_FILE /);
    expect(lines.join('\n')).toMatch(line);
    expect(lines.join('\n')).not.toContain('undefined');
  });

test('Two bots with the same name are a fault', () => {
  const one = { name: 'a', refreshToken: 't', identitySecret };
  expect(faultsOf({ STEAM_BOTS_FILE: botsFile(JSON.stringify([one, one])) })[0]).toContain(
    'one name to two bots',
  );
});
