import { z } from 'zod';
import { askBotState } from '#app/services/bot-client.server.ts';

const AttemptSchema = z.object({ atMs: z.number(), problem: z.string().nullable() }).nullable();
const StateSchema = z.object({
  startedAtMs: z.number(),
  parts: z.record(
    z.string(),
    z.object({ state: z.enum(['ready', 'off', 'starting', 'faulty']), detail: z.string().optional() }),
  ),
  backups: z
    .object({
      backup: AttemptSchema,
      drill: AttemptSchema,
      saved: z.object({ count: z.number(), bytes: z.number().nullable() }).optional(),
    })
    .nullable(),
  faults: z.array(
    z.object({
      message: z.string(),
      where: z.string(),
      detail: z.string().nullable(),
      count: z.number(),
      lastAtMs: z.number(),
    }),
  ),
});

/** The bot process's report about itself. */
export type BotProcess = z.output<typeof StateSchema>;
export type BackupAttempt = NonNullable<BotProcess['backups']>['backup'];

/** Asks the bot's process how it is; null if it does not answer, or not as this version expects. */
export async function askBotProcess(): Promise<BotProcess | null> {
  const answer = await askBotState();
  const parsed = answer.ok ? StateSchema.safeParse(answer.body) : null;
  return parsed?.success ? parsed.data : null;
}

const STEAM_PART = 'steam';
const ACCOUNT = `${STEAM_PART}: `;

/** The names of its Steam accounts. */
export const configuredBots = ({ parts }: BotProcess): string[] =>
  Object.keys(parts).flatMap((name) => (name.startsWith(ACCOUNT) ? [name.slice(ACCOUNT.length)] : []));

/** Its parts that are not ready, besides Steam's accounts, which have rows of their own. */
export const faultyParts = ({ parts }: BotProcess): { name: string; detail: string }[] =>
  Object.entries(parts).flatMap(([name, { state, detail }]) =>
    name.startsWith(STEAM_PART) || state === 'ready' || state === 'off'
      ? []
      : [{ name, detail: detail ?? state }],
  );
