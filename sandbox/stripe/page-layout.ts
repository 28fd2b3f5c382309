import type { FastifyReply } from 'fastify';

const style = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
  fieldset { border: 1px solid #8886; border-radius: .5rem; margin: 1rem 0; }
  label { display: block; padding: .25rem 0; } small { opacity: .7; }
  input[type=text] { font: inherit; padding: .35rem .5rem; width: 16rem; max-width: 100%; }
  button { font: inherit; padding: .5rem 1.25rem; border-radius: .4rem; border: 1px solid #8886; cursor: pointer; }
  button.primary { background: #4b45c6; border-color: #4b45c6; color: #fff; }
  [role=alert] { border-left: 4px solid #b3261e; padding: .5rem 1rem; }
  .rows { list-style: none; padding: 0; } .rows li { border-top: 1px solid #8884; padding: .6rem 0; }
  form.inline { display: inline; }`;

/** Markup that is safe to insert. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A page of the sandbox's Stripe, for people: it loads nothing and runs no script. */
export function stripePage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Sandbox Stripe</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main><p><small>Sandbox Stripe: no money moves here.</small></p>
<h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;
}

export function problemNote(problem: string | null): string {
  return problem ? `<p role="alert">${escapeHtml(problem)}</p>` : '';
}

export function sendPage(reply: FastifyReply, markup: string, status = 200): FastifyReply {
  return reply
    .code(status)
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
    )
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(markup);
}
