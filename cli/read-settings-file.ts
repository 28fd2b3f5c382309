// Loaded before anything else by `npm start`, `npm run dev` and `npm run keepsake`: takes what `.env` in the working
// folder sets and the environment does not. It comes first because the database's dialect is decided at import.
import { readSettingsFile } from './init/settings-file.ts';

// init asks which file it is about, and reads that one.
if (process.argv[2] !== 'init') {
  try {
    for (const [name, value] of Object.entries(readSettingsFile('.env') ?? {})) process.env[name] ??= value;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    console.error(`.env cannot be read (${code ?? message}). Run this as the user that runs Keepsake.`);
    process.exit(1);
  }
}
