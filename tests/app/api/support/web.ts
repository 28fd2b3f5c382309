import { setWeb } from '../../support/web.ts';

// Must be imported first: some modules read the configuration when they are loaded.
await setWeb();
