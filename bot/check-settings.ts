// Says what is wrong with the settings of the bot, a line per fault, or nothing.
import { loadBotConfiguration } from './config.ts';

loadBotConfiguration();
