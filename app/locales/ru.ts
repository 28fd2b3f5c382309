import { api } from './ru/api.ts';
import { auth } from './ru/auth.ts';
import { common } from './ru/common.ts';
import { dashboard } from './ru/dashboard.ts';
import { errors } from './ru/errors.ts';
import { items } from './ru/items.ts';
import { landing } from './ru/landing.ts';
import { messages } from './ru/messages.ts';
import { profile } from './ru/profile.ts';
import { rewards } from './ru/rewards.ts';
import { shell } from './ru/shell.ts';
import { transfers } from './ru/transfers.ts';

export const ru = {
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
