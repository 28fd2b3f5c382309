import { html } from './html.ts';
import type { Panel } from './panel.ts';
import { requireTwitchUser } from './twitch-words.ts';

const clockFormat = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** The chat log: a small page that refreshes itself inside the channel's page, and the same as JSON. */
export function addTwitchChat(panel: Panel): void {
  const { twitch } = panel.worlds;
  const linesOf = (broadcasterId: string) => {
    requireTwitchUser(twitch, broadcasterId);
    return twitch.chatLog(broadcasterId).map((line) => {
      const user = twitch.userById(line.userId);
      return { ...line, login: user?.login ?? '', displayName: user?.displayName ?? '' };
    });
  };

  panel.json(
    '/twitch/:broadcasterId/chat.json',
    'The last 1,000 chat lines, oldest first.',
    ({ broadcasterId }) => ({
      lines: linesOf(broadcasterId),
    }),
  );

  panel.json(
    '/twitch/:broadcasterId/chatters.json',
    'The users that Get Chatters lists now.',
    ({ broadcasterId }) => {
      requireTwitchUser(twitch, broadcasterId);
      return { chatters: twitch.chattersOf(broadcasterId) };
    },
  );

  panel.server.get<{ Params: { broadcasterId: string } }>('/twitch/:broadcasterId/chat', (request, reply) => {
    const rows = linesOf(request.params.broadcasterId)
      .slice(-100)
      .reverse()
      .map(
        (line) =>
          html`<li><time datetime="${new Date(line.sentAtMs).toISOString()}">${clockFormat.format(line.sentAtMs)}</time><strong>${line.displayName}</strong> ${line.text}</li>`,
      );
    const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Chat</title><meta name="color-scheme" content="light dark"><link rel="stylesheet" href="/panel.css"></head>
<body class="frame"><ol class="chat">${rows.length > 0 ? rows : html`<li class="hint">Nobody has said anything yet.</li>`}</ol></body></html>`;
    return reply.header('refresh', '3').type('text/html; charset=utf-8').send(page.markup);
  });
}
