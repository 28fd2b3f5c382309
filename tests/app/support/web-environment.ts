import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variables of an independent web process, unaffected by the machine's own. */
export function webEnvironment(more: Record<string, string> = {}): Record<string, string> {
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'http://localhost:3000',
    KEEPSAKE_DATA_DIR: mkdtempSync(join(tmpdir(), 'keepsake-web-')),
    SESSION_SECRET: 'a session secret that only tests know',
    ENCRYPTION_KEY: '0'.repeat(64),
    LOG_LEVEL: 'silent',
    ...more,
  };
}

/** Makes `config()` use such variables in this test file; call it before anything reads them. */
export function setWebEnvironment(more: Record<string, string> = {}): void {
  Object.assign(process.env, webEnvironment(more));
}
