import type { Language } from '../texts/texts.ts';
import type { Verdict } from './judge.ts';
import { type Said, say, type Tone, verdictTexts } from './said.ts';

const style = `
:host { all: initial; display: block; color-scheme: dark light; }
section { font: 15px/1.45 system-ui, sans-serif; color: #eef2f0; background: #141817; border: 2px solid var(--tone); border-radius: 10px; margin: 12px auto; max-width: 948px; text-align: start; overflow: clip; }
.good { --tone: #8cc98a; --quiet: #17251a; } .bad { --tone: #f08e85; --quiet: #2e1c1a; } .unsure { --tone: #e3b765; --quiet: #2a2214; border-style: dashed; }
.top { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 4px 14px; padding: 16px 18px; background: var(--quiet); }
.sign { font-size: 26px; line-height: 1.2; color: var(--tone); font-weight: 700; grid-row: 1 / 3; }
.title { font-size: 20px; font-weight: 650; margin: 0; } .line { margin: 0; color: #b1bbb7; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 10px 18px; margin: 0; padding: 14px 18px; font-size: 13px; }
dt { font-weight: 650; } dd { margin: 0; color: #b1bbb7; overflow-wrap: anywhere; } .yes dt::before { content: "✓ "; color: #8cc98a; } .no dt::before { content: "✗ "; color: #f08e85; }
.foot { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; padding: 10px 18px; border-top: 1px solid #29302d; font-size: 13px; color: #b1bbb7; } .foot span:first-child { flex: 1 1 260px; }
button { font: inherit; color: #eef2f0; background: #252b29; border: 1px solid #6f7b76; border-radius: 6px; padding: 4px 12px; min-height: 28px; cursor: pointer; } button:focus-visible { outline: 2px solid #7fd3c4; outline-offset: 2px; }
.row .top { padding: 8px 12px; } .row .title { font-size: 15px; } .row .sign { font-size: 18px; }
`;

const signs: Record<Tone, string> = { good: '✓', bad: '✗', unsure: '?' };

/** Builds an element; text is always text, because names of strangers are among it. */
function make(page: Document, tag: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const element = page.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/** The part of a page that shows a verdict. It stands in the flow of the page, before everything else in its place. */
export class Card {
  readonly #place: Element;
  readonly #language: Language;
  readonly #isRow: boolean;
  readonly #askAgain: () => void;
  #host: HTMLElement | null = null;
  #shown = '';

  constructor(
    place: Element,
    { language, isRow, askAgain }: { language: Language; isRow: boolean; askAgain: () => void },
  ) {
    this.#place = place;
    this.#language = language;
    this.#isRow = isRow;
    this.#askAgain = askAgain;
  }

  show(verdict: Verdict): void {
    const said = say(verdict, this.#language);
    const shown = JSON.stringify(said);
    const isThere = this.#host?.parentElement === this.#place;
    if (shown === this.#shown && (said === null || isThere)) return;
    this.#shown = shown;
    if (said === null) {
      this.#host?.remove();
      return;
    }
    const page = this.#place.ownerDocument;
    this.#host ??= page.createElement('keepsake-verdict');
    // Readable for tests and other helpers of the reader; nothing reads it back.
    this.#host.dataset.verdict = verdict.is;
    const root = this.#host.shadowRoot ?? this.#host.attachShadow({ mode: 'open' });
    root.replaceChildren(make(page, 'style', '', style), this.#section(page, said));
    if (!isThere) this.#place.prepend(this.#host);
  }

  #section(page: Document, said: Said): HTMLElement {
    const texts = verdictTexts[this.#language];
    const sign = make(page, 'span', 'sign', signs[said.tone]);
    sign.ariaHidden = 'true';
    const title = make(page, 'p', 'title', said.title);
    const top = make(page, 'div', 'top', sign, title, make(page, 'p', 'line', said.line));
    const section = make(page, 'section', said.tone, top);
    section.lang = this.#language;
    section.role = said.tone === 'bad' ? 'alert' : 'status';
    section.ariaLabel = texts.by;
    if (this.#isRow) {
      section.classList.add('row');
      return section;
    }
    if (said.facts.length > 0) section.append(this.#facts(page, said));
    const foot = make(page, 'div', 'foot', make(page, 'span', '', said.foot));
    if (said.canAskAgain) {
      const again = make(page, 'button', '', texts.again);
      again.addEventListener('click', this.#askAgain);
      foot.append(again);
    }
    foot.append(make(page, 'span', '', texts.by));
    section.append(foot);
    return section;
  }

  #facts(page: Document, { facts }: Said): HTMLElement {
    const groups = facts.map(({ label, agrees, text }) =>
      make(page, 'div', agrees ? 'yes' : 'no', make(page, 'dt', '', label), make(page, 'dd', '', text)),
    );
    return make(page, 'dl', '', ...groups);
  }
}
