import type { Page } from '@playwright/test';

export interface Rect {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** An element as it is laid out. */
export interface Box {
  /** Its tag and classes. */
  name: string;
  rect: Rect;
  /** The place of its parent in the list of boxes. */
  parent: number | null;
  /** True if the eye takes it for a box: it is painted, has an edge, or is a cell of a table. */
  isSeen: boolean;
  /** True if it cuts off what leaves it, in each direction. */
  cutsAside: boolean;
  cutsBelow: boolean;
  /** True if what leaves it can be scrolled to, as is meant, in each direction. */
  scrollsAside: boolean;
  scrollsBelow: boolean;
  /** True if it shows that its text goes on, and if it or its own link names the whole text. */
  isShortened: boolean;
  isNamed: boolean;
  /** True if it lies over the page: a menu, a bar that sticks to the window. */
  floats: boolean;
}

/** A text, or a control, and the lines that it takes. */
export interface Part {
  text: string;
  isText: boolean;
  /** The place of its element in the list of boxes. */
  box: number;
  lines: Rect[];
  /** Its words of common length that are broken. */
  brokenWords: string[];
}

export interface Layout {
  boxes: Box[];
  parts: Part[];
  windowWidth: number;
}

/** Marks of a piece have room around them for the finger, which may reach out of their card. */
const controls = 'button:not(.marks), input, select, textarea, .btn, .badge, .plate, .avatar';

/** The boxes that are meant to scroll, in each direction; any other was meant to hold its content. */
const scrollers = {
  aside: '.tabs, .range__presets',
  below: 'dialog, textarea, .rail, .consent, .twin__table',
};

/** Reads where everything on a page is that can be seen, once its layout stands. */
export async function readLayout(page: Page): Promise<Layout> {
  // A change of the window's size is laid out by the second frame.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
  );
  // As one expression, so that nothing on the page changes meanwhile; as one text, because Playwright takes far longer to
  // bring thousands of objects.
  const layout = await page.evaluate<string>(`JSON.stringify({
    boxes: (${readBoxes})(${JSON.stringify(scrollers)}),
    parts: (${readParts})(${JSON.stringify(controls)}),
    windowWidth: document.documentElement.clientWidth,
  })`);
  return JSON.parse(layout);
}

/** Runs in the page. All elements in the order of the document. */
function readBoxes(scrollers: { aside: string; below: string }): Box[] {
  const elements = [...document.body.querySelectorAll('*')];
  elements.unshift(document.body);
  const places = new Map(elements.map((element, place) => [element, place]));
  const inOneLine = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();
  const namesWhole = (by: Element | null, element: Element) =>
    ['title', 'aria-label'].some((name) =>
      inOneLine(by?.getAttribute(name)).includes(inOneLine(element.textContent)),
    );
  const isClear = (colour: string) => /^rgba\(.*, 0\)$|\/ 0\)$/.test(colour);
  return elements.map((element) => {
    const style = getComputedStyle(element);
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const isEdged = (['Left', 'Right'] as const).some(
      (side) => style[`border${side}Width`] !== '0px' && !isClear(style[`border${side}Color`]),
    );
    const isPainted = isEdged || !isClear(style.backgroundColor);
    const isShortened = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
    const cuts = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
    const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll';
    return {
      name: [element.tagName.toLowerCase(), ...element.classList].join('.'),
      rect: { left, right, top, bottom },
      parent: element.parentElement ? (places.get(element.parentElement) ?? null) : null,
      isSeen:
        style.display !== 'inline' &&
        (isPainted || ['TD', 'TH', 'BUTTON', 'DIALOG'].includes(element.tagName)),
      cutsAside: cuts(style.overflowX),
      cutsBelow: cuts(style.overflowY),
      scrollsAside: scrolls(style.overflowX) && element.matches(scrollers.aside),
      scrollsBelow: scrolls(style.overflowY) && element.matches(scrollers.below),
      isShortened,
      // Only then: the whole text of each element would be read again and again.
      isNamed:
        isShortened && [element, element.closest('a, button')].some((each) => namesWhole(each, element)),
      floats: ['absolute', 'fixed', 'sticky'].includes(style.position),
    };
  });
}

/** Runs in the page. The texts and controls that can be seen. */
function readParts(controls: string): Part[] {
  const elements = [...document.body.querySelectorAll('*')];
  elements.unshift(document.body);
  const places = new Map(elements.map((element, place) => [element, place]));
  /** Scripts that are written without spaces break anywhere, and so do the words of logins and addresses. */
  const words =
    /(?<![\p{L}\p{N}_@/.-])[\p{Script=Latin}\p{Script=Cyrillic}\p{N}]{2,14}(?![\p{L}\p{N}_@/.-])/gu;
  const clipped = new Map<Element, boolean>();
  /** As texts for screen readers are. */
  const isClipped = (element: Element): boolean => {
    const known = clipped.get(element);
    if (known !== undefined) return known;
    const { parentElement } = element;
    const found =
      getComputedStyle(element).clipPath.startsWith('inset(50%') ||
      (parentElement !== null && isClipped(parentElement));
    clipped.set(element, found);
    return found;
  };
  /** Contents of a closed list have boxes too. */
  const isShown = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !isClipped(element);
  const linesOf = (rects: DOMRectList) =>
    [...rects]
      .filter(({ width, height }) => width > 1 && height > 1)
      .map(({ left, right, top, bottom }) => ({ left, right, top, bottom }));
  const isBroken = (rects: DOMRectList) => new Set(linesOf(rects).map(({ top }) => Math.round(top))).size > 1;
  const range = document.createRange();
  const brokenIn = (node: Node, element: Element) => {
    if (!isBroken(range.getClientRects()) || element.closest('code')) return [];
    return [...(node.textContent ?? '').matchAll(words)].flatMap(({ 0: word, index }) => {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      return isBroken(range.getClientRects()) ? [word] : [];
    });
  };

  const parts: Part[] = [];
  const add = (element: Element, part: Omit<Part, 'box'>) => {
    if (part.lines.length > 0 && isShown(element)) parts.push({ ...part, box: places.get(element) ?? 0 });
  };
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const [element, text] = [node.parentElement, (node.textContent ?? '').trim()];
    if (!element || text === '' || element.matches('script, style, noscript, option')) continue;
    range.selectNodeContents(node);
    const lines = linesOf(range.getClientRects());
    add(element, { text: text.slice(0, 60), isText: true, lines, brokenWords: brokenIn(node, element) });
  }
  for (const element of document.body.querySelectorAll(controls)) {
    const text = element.tagName.toLowerCase();
    add(element, { text, isText: false, lines: linesOf(element.getClientRects()), brokenWords: [] });
  }
  return parts;
}
