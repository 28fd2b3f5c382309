import { makeSqliteFile } from '#tests/support/database.ts';
import { setWebEnvironment } from './web-environment.ts';

/** Gives this test file a web process' configuration with a migrated store of its own. */
export async function setWeb(more: Record<string, string> = {}): Promise<void> {
  const { folder } = await makeSqliteFile();
  setWebEnvironment({ KEEPSAKE_DATA_DIR: folder, ...more });
}
