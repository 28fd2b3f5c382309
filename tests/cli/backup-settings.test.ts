import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { botVariables } from '#platform/bot-variables.ts';
import type { ConfigurationPlan } from '#platform/configuration.ts';
import { webVariables } from '#platform/web-variables.ts';
import { testKey } from '#tests/support/database.ts';
import { InstanceFolder } from '#tests/support/instance-folder.ts';
import { startPlan } from '../../cli/settings.ts';

const plans: ConfigurationPlan = { ...webVariables, ...botVariables, ...startPlan };

test('A backup contains every setting, and of secrets in files what is in them', async () => {
  const { folder } = await InstanceFolder.make();
  const at = (name: string) => join(folder.dataFolder, `of-${name}`);
  const environment: Record<string, string> = { PATH: '/bin', NODE_ENV: 'production' };
  for (const [name, { secret }] of Object.entries(plans)) {
    writeFileSync(at(name), secret ? `value of ${name}\n` : '[]');
    if (secret) environment[`${name}_FILE`] = at(name);
    else environment[name] = at(name);
  }
  const backup = await folder.backUp({ environment });
  const saved = Object.entries(plans).map(
    ([name, { secret }]) => `${name}=${secret ? `value of ${name}` : at(name)}`,
  );
  const lines = readFileSync(join(backup.folder, 'settings.env'), 'utf8').trim().split('\n');
  expect(lines).toEqual(saved.sort());
  expect(readFileSync(join(backup.folder, 'steam-bots.json'), 'utf8')).toBe('[]');
});

test('A key that is given in a file is in the backup', async () => {
  const { folder } = await InstanceFolder.make();
  const keyFile = join(folder.dataFolder, 'key-from-elsewhere');
  writeFileSync(keyFile, `${testKey}\n`);
  const backup = await folder.backUp({ environment: { ENCRYPTION_KEY_FILE: keyFile, SMTP_URL: '' } });
  expect(readFileSync(join(backup.folder, 'settings.env'), 'utf8')).toBe(`ENCRYPTION_KEY=${testKey}\n`);
});

test.each(['SMTP_URL_FILE', 'STEAM_BOTS_FILE'])(
  'No backup is made without a secret that %s leads to',
  async (name) => {
    const { folder } = await InstanceFolder.make();
    const missing = join(folder.dataFolder, 'missing');
    await expect(folder.backUp({ environment: { [name]: missing } })).rejects.toThrow(
      `${name} names a file that cannot be read (${missing})`,
    );
  },
);
