import type { TwitchUser } from './world-state.ts';

const scopeWords: Record<string, string> = {
  'chat:read': 'Read the chat of channels',
  'chat:edit': 'Send chat messages as you',
  'user:read:email': 'See your email address',
  'user:read:chat': 'Read chat as you',
  'user:write:chat': 'Write chat messages as you',
  'user:bot': 'Act in chat as your bot',
  'user:read:subscriptions': 'See which channels you subscribe to',
  'channel:bot': 'Let its bot act in your chat',
  'channel:read:subscriptions': 'See who subscribes to your channel',
  'channel:read:redemptions': 'See channel points redemptions on your channel',
  'channel:manage:redemptions': 'Manage channel points rewards and redemptions on your channel',
  'moderator:read:chatters': 'See who is in your chat',
  'moderator:read:followers': 'See who follows your channel and since when',
};

const style = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; } fieldset { border: 1px solid #8886; border-radius: .5rem; margin: 1rem 0; }
  label { display: block; padding: .25rem 0; } .people { columns: 2; } small { opacity: .7; }
  input[type=text] { font: inherit; padding: .35rem .5rem; width: 14rem; max-width: 100%; }
  button { font: inherit; padding: .5rem 1.25rem; border-radius: .4rem; border: 1px solid #8886; cursor: pointer; }
  button[value=approve] { background: #6441a5; border-color: #6441a5; color: #fff; }
  [role=alert] { border-left: 4px solid #b3261e; padding: .5rem 1rem; }
  @media (max-width: 30rem) { .people { columns: 1; } }`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function layout(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Sandbox Twitch</title><style>${style}</style></head>
<body><main><p><small>Sandbox Twitch: nothing here reaches the real Twitch.</small></p>
<h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;
}

function personChoice(people: readonly TwitchUser[]): string {
  const choices = people.map(
    (user, index) =>
      `<label><input type="radio" name="login" value="${escapeHtml(user.login)}"${
        index === 0 ? ' checked' : ''
      }> ${escapeHtml(user.displayName)}</label>`,
  );
  return `<fieldset><legend>Who are you?</legend><div class="people">${choices.join('')}</div>
<label>Another login <input type="text" name="other_login" autocomplete="off" autocapitalize="none"></label></fieldset>`;
}

function scopeList(scopes: readonly string[]): string {
  if (scopes.length === 0) return '<p>It learns your name and your user id, nothing else.</p>';
  const items = scopes.map(
    (scope) =>
      `<li>${escapeHtml(scopeWords[scope] ?? 'Use a further permission')} <small>${escapeHtml(scope)}</small></li>`,
  );
  return `<p>It asks to:</p><ul>${items.join('')}</ul>`;
}

const buttons =
  '<p><button name="decision" value="approve">Authorize</button> <button name="decision" value="deny">Cancel</button></p>';

function problemNote(problem: string | undefined): string {
  return problem ? `<p role="alert">${escapeHtml(problem)}</p>` : '';
}

/** The page where a person picks an account and grants scopes. */
export function authorizePage(fields: {
  hidden: Record<string, string>;
  scopes: readonly string[];
  people: readonly TwitchUser[];
  destination: string;
  problem?: string;
}): string {
  const hidden = Object.entries(fields.hidden).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return layout(
    'Authorize an application',
    `${problemNote(fields.problem)}<p>The application at <strong>${escapeHtml(fields.destination)}</strong> wants access to your account.</p>
${scopeList(fields.scopes)}<form method="post" action="/auth/authorize">${hidden.join('')}${personChoice(fields.people)}${buttons}</form>`,
  );
}

/** The page where a person enters a device's code. */
export function activatePage(fields: {
  userCode: string;
  scopes: readonly string[] | null;
  people: readonly TwitchUser[];
  problem?: string;
}): string {
  const asked = fields.scopes ? scopeList(fields.scopes) : '';
  return layout(
    'Activate your device',
    `${problemNote(fields.problem)}<p>Enter the code that your device or application shows.</p>${asked}
<form method="post" action="/activate"><label>Code <input type="text" name="user_code" required autocomplete="off" value="${escapeHtml(fields.userCode)}"></label>
${personChoice(fields.people)}${buttons}</form>`,
  );
}

export function messagePage(title: string, text: string): string {
  return layout(title, `<p>${escapeHtml(text)}</p>`);
}
