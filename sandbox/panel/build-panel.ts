import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { addChannelPointsVerbs } from './channel-points.ts';
import { addClockPages } from './clock-pages.ts';
import { addMailPages } from './mail-pages.ts';
import { addOverviewPages } from './overview-pages.ts';
import { createPanel, type PanelWorlds } from './panel.ts';
import { addSteamAccountVerbs } from './steam-account-verbs.ts';
import { addSteamPages } from './steam-pages.ts';
import { addSteamTradingVerbs } from './steam-trading-verbs.ts';
import { addSteamViews } from './steam-views.ts';
import { addStripePages } from './stripe-pages.ts';
import { addStripeTrouble } from './stripe-trouble.ts';
import { addStripeVerbs } from './stripe-verbs.ts';
import { addTroubleLevers } from './trouble-board.ts';
import { addTroublePages } from './trouble-pages.ts';
import { addTroubleVerbs } from './trouble-verbs.ts';
import { addTwitchChat } from './twitch-chat.ts';
import { addTwitchPages } from './twitch-pages.ts';
import { addTwitchVerbs } from './twitch-verbs.ts';
import { addWorldView } from './world-view.ts';

/** The parts of the panel's style sheet, in order. */
const sheets = ['page', 'lists', 'forms', 'overview'];

/** The control panel as a Fastify instance; `log` receives unexpected errors. */
export async function buildPanel(
  worlds: PanelWorlds,
  log: (error: unknown) => void,
): Promise<FastifyInstance> {
  const style = (
    await Promise.all(
      sheets.map((sheet) => readFile(new URL(`./styles/${sheet}.css`, import.meta.url), 'utf8')),
    )
  ).join('\n');
  const panel = createPanel(worlds, log);
  addOverviewPages(panel);
  addWorldView(panel);
  addTwitchPages(panel);
  addTwitchVerbs(panel);
  addChannelPointsVerbs(panel);
  addTwitchChat(panel);
  addSteamPages(panel);
  addSteamAccountVerbs(panel);
  addSteamTradingVerbs(panel);
  addSteamViews(panel);
  addStripePages(panel);
  addStripeVerbs(panel);
  addClockPages(panel);
  addMailPages(panel);
  addTroublePages(panel);
  addTroubleVerbs(panel);
  addTroubleLevers(panel);
  addStripeTrouble(panel);
  panel.server.get('/panel.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style));
  return panel.server;
}
