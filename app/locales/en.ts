import { auth } from './en/auth.ts';
import { common } from './en/common.ts';
import { errors } from './en/errors.ts';
import { landing } from './en/landing.ts';
import { messages } from './en/messages.ts';
import { rewards } from './en/rewards.ts';
import { shell } from './en/shell.ts';
import { transfers } from './en/transfers.ts';

export const en = { auth, common, errors, landing, messages, rewards, shell, transfers } as const;
