import { api } from './en/api.ts';
import { auth } from './en/auth.ts';
import { common } from './en/common.ts';
import { dashboard } from './en/dashboard.ts';
import { errors } from './en/errors.ts';
import { items } from './en/items.ts';
import { landing } from './en/landing.ts';
import { messages } from './en/messages.ts';
import { profile } from './en/profile.ts';
import { rewards } from './en/rewards.ts';
import { shell } from './en/shell.ts';
import { transfers } from './en/transfers.ts';

export const en = {
  api,
  auth,
  common,
  dashboard,
  errors,
  items,
  landing,
  messages,
  profile,
  rewards,
  shell,
  transfers,
} as const;
