import { auth } from './ru/auth.ts';
import { common } from './ru/common.ts';
import { errors } from './ru/errors.ts';
import { landing } from './ru/landing.ts';
import { messages } from './ru/messages.ts';
import { rewards } from './ru/rewards.ts';
import { shell } from './ru/shell.ts';
import { transfers } from './ru/transfers.ts';

export const ru = { auth, common, errors, landing, messages, rewards, shell, transfers } as const;
