// Prints one line per fault in the settings of the web process, or nothing.
import { config } from './config.server.ts';

config();
