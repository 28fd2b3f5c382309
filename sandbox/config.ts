import { resolve } from 'node:path';
import { z } from 'zod';

/** Treats an empty variable as unset. */
const emptyAsUnset = (value: unknown) => (value === '' ? undefined : value);

const configSchema = z.object({
  SANDBOX_DIR: z.preprocess(emptyAsUnset, z.string().default('data/sandbox')),
  SANDBOX_PORTS_FROM: z.preprocess(
    emptyAsUnset,
    z.coerce.number('must be a port such as 3010').int().min(1).max(65_529).default(3010),
  ),
  PRODUCT_URL: z.preprocess(
    emptyAsUnset,
    z
      .url({ protocol: /^https?$/, error: 'must be a URL such as http://localhost:3000' })
      .default('http://localhost:3000'),
  ),
  TWITCH_CLIENT_ID: z.preprocess(emptyAsUnset, z.string().optional()),
  TWITCH_CLIENT_SECRET: z.preprocess(emptyAsUnset, z.string().optional()),
  LOG_LEVEL: z.preprocess(
    emptyAsUnset,
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ),
});

export interface SandboxConfig {
  directory: string;
  portsFrom: number;
  productUrl: string;
  clientId: string | undefined;
  clientSecret: string | undefined;
  logLevel: string;
}

export type ConfigOutcome = { ok: true; config: SandboxConfig } | { ok: false; faults: string[] };

/** Reads the sandbox's variables; each fault is one line that names its variable. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): ConfigOutcome {
  const parsed = configSchema.safeParse(environment);
  if (!parsed.success) {
    return {
      ok: false,
      faults: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    };
  }
  const { data } = parsed;
  return {
    ok: true,
    config: {
      directory: resolve(data.SANDBOX_DIR),
      portsFrom: data.SANDBOX_PORTS_FROM,
      productUrl: data.PRODUCT_URL.replace(/\/+$/, ''),
      clientId: data.TWITCH_CLIENT_ID,
      clientSecret: data.TWITCH_CLIENT_SECRET,
      logLevel: data.LOG_LEVEL,
    },
  };
}
