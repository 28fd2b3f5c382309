import { makeSqliteFile } from '#tests/support/database.ts';
import { setWebEnvironment } from './web-environment.ts';

/** Configures the web process for this test file, with its own migrated database. */
export async function setWeb(more: Record<string, string> = {}): Promise<void> {
  const { folder } = await makeSqliteFile();
  setWebEnvironment({ KEEPSAKE_DATA_DIR: folder, ...more });
}
