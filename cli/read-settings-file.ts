// Loaded before anything else by `npm start`, `npm run dev` and `npm run keepsake`: takes the variables that
// `.env` in the working folder sets and the environment does not. It comes first because the database's
// dialect is decided at import.
import { readSettingsFile } from './init/settings-file.ts';

/** The other name of a setting: a secret is given by itself, or as `NAME_FILE`, and both at once are a fault. */
const otherNameOf = (name: string): string =>
  name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;

// init asks which file it is about, and reads that one.
if (process.argv[2] !== 'init') {
  try {
    const settings = Object.entries(readSettingsFile('.env') ?? {});
    // Before any is taken: of two names in the file neither has priority.
    const missing = settings.filter(
      ([name]) => process.env[name] === undefined && !process.env[otherNameOf(name)],
    );
    for (const [name, value] of missing) process.env[name] = value;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    console.error(`.env cannot be read (${code ?? message}). Run this as the user that runs Keepsake.`);
    process.exit(1);
  }
}
