// A chat server in its own process that sends this many lines on request and hangs up. The lines resemble those of a
// busy chat; the seed alone determines them.
import { type WebSocket, WebSocketServer } from 'ws';

const [lines = 0, seed = 1] = process.argv.slice(2).map(Number);
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

function* chat(random: () => number): Generator<string> {
  const whole = (below: number) => Math.floor(random() * below);
  for (let number = 0; number < lines; number++) {
    const channel = whole(CHANNELS);
    const person = 100_000 + whole(PEOPLE);
    const text =
      whole(100) === 0
        ? commands[whole(commands.length)]
        : Array.from({ length: 1 + whole(14) }, () => words[whole(words.length)]).join(' ');
    const badges = whole(3) === 0 ? 'subscriber/12,premium/1' : '';
    const id = `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const tags = `badge-info=${badges && 'subscriber/14'};badges=${badges};client-nonce=${id.slice(0, 8)};color=#1E90FF;display-name=Demo_${person};emotes=;first-msg=0;flags=;id=${id};mod=0;returning-chatter=0;room-id=${9000 + channel};subscriber=${badges ? 1 : 0};tmi-sent-ts=1767600000000;turbo=0;user-id=${person};user-type=`;
    const who = `demo_${person}`;
    yield `@${tags} :${who}!${who}@${who}.tmi.twitch.tv PRIVMSG #demo_channel_${9000 + channel} :${text}`;
  }
}

async function talk(socket: WebSocket): Promise<void> {
  let frame: string[] = [];
  for (const line of chat(randomFrom(seed))) {
    frame.push(line);
    if (frame.length < LINES_IN_A_FRAME) continue;
    socket.send(`${frame.join('\r\n')}\r\n`);
    frame = [];
    while (socket.bufferedAmount > MAX_UNSENT_BYTES) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  if (frame.length > 0) socket.send(`${frame.join('\r\n')}\r\n`);
  socket.close();
}

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
server.on('connection', (socket) => {
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
