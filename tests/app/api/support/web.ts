import { setWeb } from '../../support/web.ts';

// Imported before everything else: some modules read the configuration as soon as they are loaded.
await setWeb();
