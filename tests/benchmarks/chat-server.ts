// A chat server in its own process that sends this many lines on request and hangs up: over IRC, or as events to a path
// /ws. The lines resemble those of a busy chat; the seed alone determines them. With a keyword all of them are entries of a
// raffle, each by somebody else, spread over a minute of one channel.
import { type WebSocket, WebSocketServer } from 'ws';

const [lines = 0, seed = 1] = process.argv.slice(2, 4).map(Number);
const keyword = process.argv[4] ?? null;
const SPREAD_OVER_MS = 60_000;
const CHANNELS = 20;
const PEOPLE = 5000;
const LINES_IN_A_FRAME = 8;
const MAX_UNSENT_BYTES = 1 << 20;

/** Numbers from 0 to 1, determined by the seed (mulberry32). */
function randomFrom(start: number) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words =
  'lol gg nice what a play Kappa PogChamp that was close ?? no way привет хорошая игра monkaS clip it again next map ez 🎉 where is the drop'.split(
    ' ',
  );
const commands = ['!rewards', '!progress', '!claim', '!watchtime', '!discord', '!uptime'];

interface ChatLine {
  channelId: number;
  personId: number;
  text: string;
  isSubscriber: boolean;
  id: string;
  sentAtMs: number;
}

const SENT_AT_MS = Date.parse('2026-01-05T08:00:00Z');
const idOf = (number: number) => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

function* chat(random: () => number): Generator<ChatLine> {
  const whole = (below: number) => Math.floor(random() * below);
  for (let number = 0; number < lines; number++) {
    const channel = whole(CHANNELS);
    const person = 100_000 + whole(PEOPLE);
    const text =
      whole(100) === 0
        ? (commands[whole(commands.length)] ?? '')
        : Array.from({ length: 1 + whole(14) }, () => words[whole(words.length)]).join(' ');
    const isSubscriber = whole(3) === 0;
    const [channelId, id] = [9000 + channel, idOf(number)];
    yield { channelId, personId: person, text, isSubscriber, id, sentAtMs: SENT_AT_MS };
  }
}

/** Yields the entries as they are due. */
async function* entries(text: string): AsyncGenerator<ChatLine> {
  const beginMs = Date.now();
  for (let number = 0; number < lines; number++) {
    const dueAtMs = beginMs + (number / lines) * SPREAD_OVER_MS;
    while (Date.now() < dueAtMs) await new Promise((resolve) => setTimeout(resolve, 5));
    const person = { channelId: 9000, personId: 100_000 + number, isSubscriber: number % 3 === 0 };
    yield { ...person, text, id: idOf(number), sentAtMs: Date.now() };
  }
}

const spoken = () => (keyword === null ? chat(randomFrom(seed)) : entries(keyword));

function ircLine({ channelId, personId, text, isSubscriber, id, sentAtMs }: ChatLine): string {
  const badges = isSubscriber ? 'subscriber/12,premium/1' : '';
  const tags = `badge-info=${badges && 'subscriber/14'};badges=${badges};client-nonce=${id.slice(0, 8)};color=#1E90FF;display-name=Demo_${personId};emotes=;first-msg=0;flags=;id=${id};mod=0;returning-chatter=0;room-id=${channelId};subscriber=${badges ? 1 : 0};tmi-sent-ts=${sentAtMs};turbo=0;user-id=${personId};user-type=`;
  const who = `demo_${personId}`;
  return `@${tags} :${who}!${who}@${who}.tmi.twitch.tv PRIVMSG #demo_channel_${channelId} :${text}`;
}

/** A frame as Twitch sends it (dev.twitch.tv/docs/eventsub/eventsub-subscription-types, "Channel Chat Message"). */
function eventFrame({ channelId, personId, text, isSubscriber, id, sentAtMs }: ChatLine): string {
  const at = new Date(sentAtMs).toISOString().replace('Z', '456789Z');
  const type = { subscription_type: 'channel.chat.message', subscription_version: '1' };
  const badge = (set_id: string, number: string) => ({ set_id, id: number, info: '14' });
  return JSON.stringify({
    metadata: { message_id: `e${id}`, message_type: 'notification', message_timestamp: at, ...type },
    payload: {
      subscription: {
        id: `f${id}`,
        status: 'enabled',
        type: 'channel.chat.message',
        version: '1',
        condition: { broadcaster_user_id: String(channelId), user_id: '8000' },
        transport: { method: 'conduit', conduit_id: 'bfcfc993-26b1-b876-44d9-afe75a379dac' },
        created_at: at,
        cost: 0,
      },
      event: {
        broadcaster_user_id: String(channelId),
        broadcaster_user_login: `demo_channel_${channelId}`,
        broadcaster_user_name: `demo_channel_${channelId}`,
        source_broadcaster_user_id: null,
        source_broadcaster_user_login: null,
        source_broadcaster_user_name: null,
        chatter_user_id: String(personId),
        chatter_user_login: `demo_${personId}`,
        chatter_user_name: `Demo_${personId}`,
        message_id: id,
        source_message_id: null,
        is_source_only: null,
        message: {
          text,
          fragments: [{ type: 'text', text, cheermote: null, emote: null, mention: null }],
        },
        color: '#1E90FF',
        badges: isSubscriber ? [badge('subscriber', '12'), badge('premium', '1')] : [],
        source_badges: null,
        message_type: 'text',
        cheer: null,
        reply: null,
        channel_points_custom_reward_id: null,
        channel_points_animation_id: null,
      },
    },
  });
}

async function send(socket: WebSocket, frame: string): Promise<void> {
  socket.send(frame);
  while (socket.bufferedAmount > MAX_UNSENT_BYTES) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function talk(socket: WebSocket): Promise<void> {
  let frame: string[] = [];
  for await (const line of spoken()) {
    frame.push(ircLine(line));
    if (keyword === null && frame.length < LINES_IN_A_FRAME) continue;
    await send(socket, `${frame.join('\r\n')}\r\n`);
    frame = [];
  }
  if (frame.length > 0) socket.send(`${frame.join('\r\n')}\r\n`);
  socket.close();
}

async function talkInEvents(socket: WebSocket): Promise<void> {
  for await (const line of spoken()) await send(socket, eventFrame(line));
  socket.close();
}

const welcome = JSON.stringify({
  metadata: { message_id: 'w', message_type: 'session_welcome', message_timestamp: '2026-01-05T08:00:00Z' },
  payload: { session: { id: 's', status: 'connected', keepalive_timeout_seconds: 60, reconnect_url: null } },
});

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
server.on('connection', (socket, request) => {
  if (request.url === '/ws') {
    socket.send(welcome);
    // A client that listens to events sends nothing, so the benchmark asks for them.
    process.once('message', () => void talkInEvents(socket));
    return;
  }
  socket.on('message', (data) => {
    for (const line of String(data).split('\r\n')) {
      const nick = /^NICK (\S+)/.exec(line)?.[1];
      if (nick) socket.send(`:tmi.twitch.tv 001 ${nick} :Welcome\r\n:tmi.twitch.tv 376 ${nick} :>\r\n`);
      if (line.includes('please talk')) void talk(socket);
      if (line.startsWith('PING')) socket.send(':tmi.twitch.tv PONG tmi.twitch.tv :keepsake\r\n');
    }
  });
});
process.on('disconnect', () => process.exit(0));
