import { config } from '#app/config.server.ts';
import type { Account } from '#domain/account/get-account.ts';

/**
 * Returns whether the settings name this account as the operator's. An address that is not verified proves
 * nothing.
 */
export const isOperator = ({ email, verified }: Pick<Account, 'email' | 'verified'>): boolean =>
  verified && email === config().operatorAccount;
