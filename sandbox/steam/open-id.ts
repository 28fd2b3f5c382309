import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Answer, escapeHtml, html, redirect, text } from './http.ts';
import type { SteamPerson } from './state.ts';
import type { SteamWorld } from './world.ts';

const namespace = 'http://specs.openid.net/auth/2.0';
const selectIdentity = `${namespace}/identifier_select`;
/** Steam's real URLs, whatever the host, so that a verifier needs no special rules for the sandbox. */
const endpoint = 'https://steamcommunity.com/openid/login';
const identityBase = 'https://steamcommunity.com/openid/id/';
const signedFields = [
  'signed',
  'op_endpoint',
  'claimed_id',
  'identity',
  'return_to',
  'response_nonce',
  'assoc_handle',
] as const;
const assocHandle = '1234567890';
const nonceLifeMs = 300_000;

/** Steam's OpenID 2.0 provider; people pick an account instead of entering a password. */
export class OpenIdProvider {
  readonly #world: SteamWorld;
  readonly #key = randomBytes(32);
  /** Used nonces, with the time after which they would be refused anyway. */
  readonly #used = new Map<string, number>();

  constructor(world: SteamWorld) {
    this.#world = world;
  }

  /** The page for checkid_setup. */
  show(query: URLSearchParams): Answer {
    const fault = faultOf(query);
    if (fault !== null) return errorPage(fault);
    const realm = query.get('openid.realm') ?? query.get('openid.return_to') ?? '';
    return html(pickerPage(this.#world.users(), query, new URL(realm).host));
  }

  /** Handles the page's buttons, and the site's request to verify an assertion. */
  receive(form: URLSearchParams): Answer {
    if (form.get('openid.mode') === 'check_authentication') {
      return text(`ns:${namespace}\nis_valid:${this.#check(form)}\n`);
    }
    const fault = faultOf(form);
    if (fault !== null) return errorPage(fault);
    const returnTo = form.get('openid.return_to') ?? '';
    if (form.has('cancel')) return redirect(withFields(returnTo, { ns: namespace, mode: 'cancel' }));
    const person = this.#world.userBySteamId(form.get('steamid') ?? '');
    return person === null
      ? errorPage('This person is not known here.')
      : redirect(this.assertionFor(person.steamId, returnTo));
  }

  /** The URL that returns a person to the site; tests without a browser use it too. */
  assertionFor(steamId: string, returnTo: string): string {
    const identity = `${identityBase}${steamId}`;
    const moment = `${new Date().toISOString().slice(0, 19)}Z`;
    const fields: Record<string, string> = {
      ns: namespace,
      mode: 'id_res',
      op_endpoint: endpoint,
      claimed_id: identity,
      identity,
      return_to: returnTo,
      response_nonce: `${moment}${randomBytes(20).toString('base64')}`,
      assoc_handle: assocHandle,
      signed: signedFields.join(','),
    };
    fields.sig = this.#sign(fields);
    return withFields(returnTo, fields);
  }

  #sign(fields: Record<string, string>) {
    const lines = signedFields.map((name) => `${name}:${fields[name] ?? ''}\n`);
    return createHmac('sha1', this.#key).update(lines.join('')).digest('base64');
  }

  /** An assertion is valid once, and only unmodified. */
  #check(form: URLSearchParams): boolean {
    const fields = Object.fromEntries(signedFields.map((name) => [name, form.get(`openid.${name}`) ?? '']));
    const expected = Buffer.from(this.#sign(fields));
    const given = Buffer.from(form.get('openid.sig') ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    const nonce = fields.response_nonce ?? '';
    const isFresh = Math.abs(Date.now() - Date.parse(nonce.slice(0, 20))) < nonceLifeMs;
    if (!isFresh || this.#used.has(nonce)) return false;
    this.#deleteExpiredNonces();
    this.#used.set(nonce, Date.now() + nonceLifeMs);
    return true;
  }

  #deleteExpiredNonces() {
    for (const [nonce, until] of this.#used) if (until < Date.now()) this.#used.delete(nonce);
  }
}

/** Returns the fault in a sign-in request, or null. */
function faultOf(fields: URLSearchParams): string | null {
  if (fields.get('openid.ns') !== namespace) return 'openid.ns must name OpenID 2.0.';
  if (fields.get('openid.mode') !== 'checkid_setup') return 'openid.mode must be checkid_setup.';
  const identities = [fields.get('openid.identity'), fields.get('openid.claimed_id')];
  if (identities.some((identity) => identity !== selectIdentity)) {
    return 'openid.identity and openid.claimed_id must be identifier_select.';
  }
  const returnTo = webAddress(fields.get('openid.return_to'));
  if (returnTo === null) return 'openid.return_to must be a web address.';
  const realm = webAddress(fields.get('openid.realm') ?? returnTo.href);
  const isInside =
    realm !== null && returnTo.origin === realm.origin && returnTo.pathname.startsWith(realm.pathname);
  return isInside ? null : 'openid.return_to must lie within openid.realm.';
}

function webAddress(value: string | null): URL | null {
  const url = value !== null && URL.canParse(value) ? new URL(value) : null;
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null;
}

function withFields(address: string, fields: Record<string, string>) {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(`openid.${name}`, value);
  return url.href;
}

const style = `
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: #f4f5f7; color: #1b1f27; }
  main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem; }
  h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
  p { margin: 0 0 1.5rem; color: #4a5262; }
  ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem;
    grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); }
  button { width: 100%; padding: .75rem 1rem; font: inherit; text-align: left; cursor: pointer; color: inherit;
    background: #fff; border: 1px solid #c4cad6; border-radius: .5rem; }
  button:hover, button:focus-visible { border-color: #2457d6; outline: 2px solid #2457d6; }
  small { display: block; color: #4a5262; }
  .cancel { width: auto; margin-top: 1.5rem; }
  @media (prefers-color-scheme: dark) {
    body { background: #14171d; color: #eceff5; }
    p, small { color: #aeb6c6; }
    button { background: #1e232d; border-color: #4a5262; }
    button:hover, button:focus-visible { border-color: #8fb0ff; outline-color: #8fb0ff; }
  }`;

function pickerPage(people: SteamPerson[], query: URLSearchParams, site: string) {
  const hidden = ['ns', 'mode', 'identity', 'claimed_id', 'realm', 'return_to']
    .filter((name) => query.has(`openid.${name}`))
    .map((name) => {
      const value = escapeHtml(query.get(`openid.${name}`) ?? '');
      return `<input type="hidden" name="openid.${name}" value="${value}">`;
    });
  const buttons = people
    .filter((person) => person.login === null)
    .map(
      (person) =>
        `<li><button name="steamid" value="${person.steamId}">${escapeHtml(person.name)}<small>${person.steamId}</small></button></li>`,
    );
  return shell(
    'Sign in through Steam',
    `<h1>Sign in through Steam</h1>
<p>This is the sandbox's Steam. Choose who you are on <strong>${escapeHtml(site)}</strong>.</p>
<form method="post" action="/openid/login">
${hidden.join('\n')}
<ul>
${buttons.join('\n')}
</ul>
<button class="cancel" name="cancel" value="1">Cancel</button>
</form>`,
  );
}

function errorPage(message: string): Answer {
  return html(
    shell('Error', `<h1>This sign-in request is not valid</h1>\n<p>${escapeHtml(message)}</p>`),
    400,
  );
}

function shell(title: string, content: string) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – sandbox</title>
<style>${style}</style>
</head>
<body><main>
${content}
</main></body>
</html>`;
}
