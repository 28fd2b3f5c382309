import type { TestedEndpoint } from '#db/schema/self-test.ts';
import { isEndpointDoubted } from '#domain/bot/list-self-tests.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import type { TransferWork } from './transfer-work.ts';

/** Returns whether a self-test has shown that an endpoint leaves out, or misstates, offers of a transfer's games. */
export const isDoubted = (
  { deps, botId }: TransferWork,
  endpoint: TestedEndpoint,
  { assets }: Pick<BotTransfer, 'assets'>,
): Promise<boolean> =>
  isEndpointDoubted(deps.db.read, { botId, endpoint, appIds: assets.map(({ appId }) => appId) });
