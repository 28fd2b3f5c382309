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
/** The one document of ours that a page shows in a frame. */
const previewAddress = /^\/channel\/overlay\/preview\?[\w=&;%.-]*$/;

/** Everything in a document that could execute: handlers, scripts without the nonce, javascript URLs. */
export function dangersIn({ html, headers }: Page): string[] {
  const nonce = /'nonce-([^']+)'/.exec(headers.get('Content-Security-Policy') ?? '')?.[1] ?? 'none';
  return elementsIn(html).flatMap(({ name, attributes }) => [
    ...(['script', 'style'].includes(name) &&
    !attributes.some(([each, value]) => each === 'nonce' && value === nonce)
      ? [`<${name}>`]
      : []),
    ...(['iframe', 'object', 'embed', 'base', 'marquee'].includes(name) &&
    !(name === 'iframe' && attributes.some(([each, value]) => each === 'src' && previewAddress.test(value)))
      ? [`<${name}>`]
      : []),
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

/** Elements within lines that the style sheet does not isolate. */
const notIsolated = new Set(['abbr', 'cite', 'code', 'i', 'mark', 'q', 's', 'small', 'u']);

/** Texts in which a name stands beside other words, and is neither in an element of its own nor between marks. */
export function turnedTextsIn({ html }: Page, name: RegExp): string[] {
  const isAlone = new RegExp(`^(?:${name.source})$`);
  const others = new RegExp(`(?<!\u2068)(?:${name.source})|(?:${name.source})(?!\u2069)`);
  const drawn = html.replace(/(<script\b[^>]*>).*?<\/script>/gs, '$1').replace(/<!--.*?-->/gs, '');
  const parts = drawn.split(/(<\/?[a-z](?:"[^"]*"|'[^']*'|[^"'>])*>)/i);
  const elementOf = (tag = '') => /^<(\/?[a-z0-9]+)/i.exec(tag)?.[1]?.toLowerCase() ?? '';
  const texts = parts.filter((text, place) => {
    if (place % 2 === 1 || !others.test(text)) return false;
    const element = elementOf(parts[place - 1]);
    const isOnly = elementOf(parts[place + 1]) === `/${element}` && !notIsolated.has(element);
    return !(isOnly && isAlone.test(text.trim()));
  });
  const values = elementsIn(drawn)
    .flatMap(({ attributes }) => attributes)
    .filter(
      ([each, value]) =>
        !addresses.includes(each) && each !== 'value' && others.test(value) && !isAlone.test(value),
    )
    .map(([each, value]) => `${each}=${value}`);
  return [...texts, ...values];
}
