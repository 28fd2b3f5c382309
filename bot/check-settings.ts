// Prints one line per fault in the bot's settings, or nothing.
import { loadBotConfiguration } from './config.ts';

loadBotConfiguration();
