import { z } from 'zod';
import type { Mail } from '#sandbox/mail/mailbox.ts';
import { html } from './html.ts';
import { time } from './layout.ts';
import { type Panel, PanelRefusal } from './panel.ts';

const letterPolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: http://localhost:* http://127.0.0.1:*";

/** Links open in a new tab, since the frame may not navigate. */
function framed(letter: string): string {
  const base = '<base target="_blank">';
  return /<head[^>]*>/i.test(letter) ? letter.replace(/<head[^>]*>/i, (head) => head + base) : base + letter;
}

function linksOf(mail: Mail) {
  if (mail.links.length === 0) return null;
  const rows = mail.links.map((link) => html`<li><a href="${link}" rel="noreferrer">${link}</a></li>`);
  return html`<section><h2>Links</h2><ul>${rows}</ul></section>`;
}

/** The inbox: a list, a page per mail with both parts, and the same as JSON. */
export function addMailPages(panel: Panel): void {
  const { mailbox } = panel.worlds;
  const find = (mailId: string): Mail => {
    const mail = mailbox.get(mailId);
    if (!mail) throw new PanelRefusal(404, 'This email is not in the inbox.');
    return mail;
  };

  panel.page('/mail', (_params, query) => {
    const rows = mailbox.list(query.to || undefined).map(
      (mail) => html`<li><span class="what"><a href="/mail/${mail.id}">${mail.subject || '(no subject)'}</a>
<small>to ${mail.to.join(', ')}</small></span><small>${time(mail.receivedAtMs)}</small></li>`,
    );
    return {
      title: 'Mail',
      section: '/mail',
      body: html`<p>All emails that the product sends arrive here. The last 500 are shown.</p>
<form method="get" action="/mail"><label>Only to this address <input name="to" type="email" value="${query.to}"></label><button>Show</button></form>
<section>${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="hint">No emails yet. Sign up in the product with any address.</p>`}</section>
<form method="post" action="/mail/clear"><button class="danger">Delete all emails</button></form>`,
    };
  });

  panel.json(
    '/mail.json',
    'Emails, newest first; `?to=` for one address, `?limit=` for fewer.',
    (_params, query) => {
      const limit = z.coerce.number().int().min(1).max(500).catch(500).parse(query.limit);
      return { mails: mailbox.list(query.to || undefined).slice(0, limit) };
    },
  );

  panel.page('/mail/:mailId', ({ mailId }) => {
    const mail = find(mailId);
    const letter = html`<section><h2>As HTML</h2><iframe src="/mail/${mail.id}/html" title="HTML part" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe></section>`;
    return {
      title: mail.subject || '(no subject)',
      section: '/mail',
      body: html`<p class="hint">from ${mail.from} to ${mail.to.join(', ')}, ${time(mail.receivedAtMs)}</p>
${linksOf(mail)}
<div class="columns">${mail.html ? letter : null}<section><h2>As text</h2><pre>${mail.text || '(no text part)'}</pre></section></div>
<p><a href="/mail">All emails</a></p>`,
    };
  });

  panel.server.get<{ Params: { mailId: string } }>('/mail/:mailId/html', (request, reply) => {
    const mail = find(request.params.mailId);
    reply.header('content-security-policy', letterPolicy);
    return reply.type('text/html; charset=utf-8').send(framed(mail.html));
  });

  panel.verb('/mail/clear', 'Deletes all emails.', z.object({}), async () => {
    await mailbox.clear();
    return { said: 'The inbox is empty.', page: '/mail' };
  });
}
