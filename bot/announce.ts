import type { BotDeps } from '#bot/deps.ts';
import { WAITING } from '#db/engine/store-refused.ts';
import { announceProcess, withdrawProcess } from '#domain/process/announce-process.ts';
import { announceRepeatedly } from '#platform/announce-repeatedly.ts';

/** Says again and again that this bot process runs; null if it may not, because a newer version changed the schema. */
export const announceBot = (
  { config, db, log, version }: Pick<BotDeps, 'config' | 'db' | 'log' | 'version'>,
  { id, schema }: { id: string; schema: number },
  onOutdated: () => void,
): ReturnType<typeof announceRepeatedly> => {
  const facts = { roles: [...config.roles].join(), address: config.botUrl.href };
  return announceRepeatedly({
    announce: () => announceProcess(db, { id, role: 'bot', version, schema, ...facts }),
    withdraw: () => withdrawProcess(db, id),
    onWaiting: () => log.info(WAITING),
    onOutdated,
    warn: (err) => log.warn({ err }, 'could not say that this process runs; trying again'),
  });
};
