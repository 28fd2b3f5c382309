// Says what is wrong with the settings of the web process, a line per fault, or nothing.
import { config } from './config.server.ts';

config();
