import type { Page } from '../support/site.ts';

interface Element {
  name: string;
  attributes: [name: string, value: string][];
}

/** All elements as a browser parses them: quoted values and scripts contain no markup. */
function elementsIn(html: string): Element[] {
  const outside = html.replace(/(<script\b[^>]*>).*?<\/script>/gs, '$1').replace(/<!--.*?-->/gs, '');
  return [...outside.matchAll(/<([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/gi)].map(
    ([, name = '', rest = '']) => ({
      name: name.toLowerCase(),
      attributes: [...rest.matchAll(/([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g)].map(
        ([, each = '', value = '']) => [each.toLowerCase(), value.replace(/^["']|["']$/g, '')],
      ),
    }),
  );
}

const addresses = ['href', 'src', 'action', 'formaction', 'xlink:href', 'srcset', 'poster', 'data'];
const leadsSomewhere = /^(https?:|\/|\?|#|$)/i;

/** Everything in a document that could execute: handlers, scripts without the nonce, javascript URLs. */
export function dangersIn({ html, headers }: Page): string[] {
  const nonce = /'nonce-([^']+)'/.exec(headers.get('Content-Security-Policy') ?? '')?.[1] ?? 'none';
  return elementsIn(html).flatMap(({ name, attributes }) => [
    ...(['script', 'style'].includes(name) &&
    !attributes.some(([each, value]) => each === 'nonce' && value === nonce)
      ? [`<${name}>`]
      : []),
    ...(['iframe', 'object', 'embed', 'base', 'marquee'].includes(name) ? [`<${name}>`] : []),
    ...attributes.flatMap(([each, value]) => {
      if (each.startsWith('on') || each === 'style' || each === 'srcdoc') return [`${each}=`];
      return addresses.includes(each) && !leadsSomewhere.test(value.trim()) ? [`${each}=${value}`] : [];
    }),
  ]);
}

/** A text escaped for markup. */
export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
