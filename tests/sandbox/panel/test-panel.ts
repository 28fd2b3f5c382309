import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorldClock } from '#sandbox/clock/world-clock.ts';
import { openMailbox } from '#sandbox/mail/mailbox.ts';
import { buildPanel } from '#sandbox/panel/build-panel.ts';
import type { ItemKind } from '#sandbox/steam/state.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { StripeWorld } from '#sandbox/stripe/world.ts';
import { TwitchWorld } from '#sandbox/twitch/world.ts';

export const rifle: ItemKind = {
  appid: 730,
  classid: '310776543',
  instanceid: '302028390',
  currency: 0,
  background_color: '',
  icon_url: 'rifle-picture',
  descriptions: [],
  tradable: 1,
  name: 'Demo Rifle | Slate',
  name_color: 'D2D2D2',
  type: 'Rifle',
  market_name: 'Demo Rifle | Slate (Field-Tested)',
  market_hash_name: 'Demo Rifle | Slate (Field-Tested)',
  commodity: 0,
  market_tradable_restriction: 7,
  marketable: 1,
  tags: [],
};

/** A panel with a small world: a streamer and two viewers on Twitch, a bot and two people on Steam. */
export async function openTestPanel() {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-panel-'));
  const clock = createWorldClock();
  const twitch = new TwitchWorld({ now: clock.now });
  const steam = new SteamWorld({ now: clock.now });
  const stripe = new StripeWorld({ now: clock.now });
  const mailbox = await openMailbox(folder);
  const failures: unknown[] = [];
  const addresses = {
    product: 'http://localhost:3000',
    images: 'http://localhost:3013/images/',
    twitch: 'http://localhost:3011',
    smtp: 'smtp://127.0.0.1:3014',
    clock: 'http://127.0.0.1:3015',
  };
  const streamer = twitch.addUser({ login: 'demo_streamer', broadcasterType: 'partner' });
  const viewer = twitch.addUser({ login: 'demo_viewer', displayName: 'Demo_Viewer' });
  const other = twitch.addUser({ login: 'demo_other' });
  steam.describe(rifle);
  const login = { accountName: 'bot1', password: 'p', sharedSecret: 's', identitySecret: 'i' };
  const bot = steam.addUser({ name: 'Demo bot', login, protectionAcknowledged: true });
  const giver = steam.addUser({ name: 'Demo giver' });
  const taker = steam.addUser({ name: 'Demo taker' });
  const clientId = 'client';
  const panel = await buildPanel({ clock, mailbox, twitch, steam, stripe, clientId, addresses }, (error) =>
    failures.push(error),
  );

  /** Calls a verb as a program does. */
  const play = async (url: string, payload: Record<string, unknown> = {}) => {
    const answer = await panel.inject({
      method: 'POST',
      url,
      payload,
      headers: { accept: 'application/json' },
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  /** Submits a form as a browser does. */
  const submit = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    panel.inject({
      method: 'POST',
      url,
      payload: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
    });
  const see = async (url: string) => {
    const answer = await panel.inject({ url, headers: { accept: 'text/html' } });
    return { status: answer.statusCode, text: answer.body, headers: answer.headers };
  };
  const read = async (url: string) => (await panel.inject(url)).json();

  return {
    clock,
    twitch,
    steam,
    stripe,
    mailbox,
    failures,
    panel,
    play,
    submit,
    see,
    read,
    streamer,
    viewer,
    other,
    bot,
    giver,
    taker,
    async close() {
      await panel.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TestPanel = Awaited<ReturnType<typeof openTestPanel>>;
