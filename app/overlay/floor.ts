// For the build alone: what Chrome 103 does not know yet. OBS 28 to 30 ship it, and a newer browser hides the difference.
import ts from 'typescript';

/** The version that overlays are compiled for. */
export const OVERLAY_TARGET = 'chrome103';

/** Names that browsers added after Chrome 103, of members and of globals. */
const newerNames = new Set([
  // Arrays, objects, promises, strings and sets.
  ...['toSorted', 'toReversed', 'toSpliced', 'fromAsync', 'groupBy', 'withResolvers', 'isWellFormed'],
  ...['toWellFormed', 'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf'],
  ...[
    'isSupersetOf',
    'isDisjointFrom',
    'getOrInsert',
    'getOrInsertComputed',
    'escapeHTML',
    'transferToFixedLength',
  ],
  // Pages and addresses.
  ...['canParse', 'startViewTransition', 'showPopover', 'hidePopover', 'togglePopover', 'setHTMLUnsafe'],
  ...[
    'parseHTMLUnsafe',
    'checkVisibility',
    'moveBefore',
    'requestClose',
    'getSetCookie',
    'caretPositionFromPoint',
  ],
  ...[
    'commandForElement',
    'popoverTargetElement',
    'scrollend',
    'navigation',
    'scheduler',
    'adoptedStyleSheets',
  ],
  ...[
    'Iterator',
    'ViewTransition',
    'Float16Array',
    'CloseWatcher',
    'Temporal',
    'DisposableStack',
    'Sanitizer',
  ],
]);

/** Members whose names alone say too little. */
const newerMembers = new Set([
  'Promise.try',
  'Response.json',
  'Intl.DurationFormat',
  'AbortSignal.any',
  'ReadableStream.from',
  'Array.fromAsync',
  'RegExp.escape',
]);

/** Lists what a script uses that Chrome 103 does not have. Syntax is the compiler's to lower, or to refuse. */
export function newerInScript(script: string): string[] {
  const source = ts.createSourceFile('overlay.js', script, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) {
      const member = `${node.expression.getText()}.${node.name.text}`;
      if (newerNames.has(node.name.text) || newerMembers.has(member)) found.add(member);
    } else if (ts.isIdentifier(node) && newerNames.has(node.text)) found.add(node.text);
    else if (ts.isStringLiteralLike(node) && newerNames.has(node.text)) found.add(node.text);
    // Streams could not be iterated before version 124.
    else if (ts.isForOfStatement(node) && node.awaitModifier) found.add('for await');
    else if (ts.isRegularExpressionLiteral(node) && /\/[a-z]*v[a-z]*$/.test(node.text)) found.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

const atRules = new Set(['media', 'keyframes']);
const pseudos = new Set([
  'first-child',
  'last-child',
  'empty',
  'focus-visible',
  'hover',
  'not',
  'is',
  'where',
]);
const functions = new Set([
  ...[
    'calc',
    'min',
    'max',
    'clamp',
    'rgb',
    'rgba',
    'hsl',
    'hsla',
    'inset',
    'cubic-bezier',
    'linear-gradient',
  ],
  ...['radial-gradient', 'repeating-linear-gradient', 'scaleX', 'translateX', 'translateY', 'var', 'url'],
  // Those of a selector.
  ...['not', 'is', 'where'],
]);
const units = new Set(['px', 'rem', 'em', 'vw', 'vh', 'ms', 's', 'deg', 'fr']);
/** Features of the browser that a condition may ask for, in the form that 103 reads. */
const conditions = new Set(['(min-aspect-ratio: 3 / 1)', '(prefers-reduced-motion: reduce)']);
const sides = '(top|right|bottom|left)';
const properties = new RegExp(
  `^(--[\\w-]+|align-items|animation|background|border(-${sides})?(-(color|style|width))?|border-radius|${sides}|box-(shadow|sizing)|clip-path|color(-scheme)?|display|flex(-(direction|wrap))?|font(-(family|size|weight))?|gap|justify-content|letter-spacing|line-height|list-style|margin(-${sides})?|((max|min)-)?(height|width)|opacity|outline(-offset)?|overflow(-wrap)?|padding(-${sides})?|position|text-(align|overflow)|transform(-origin)?|white-space)$`,
);

/**
 * Lists what a compiled style sheet uses beyond a list of what Chrome 103 is known to have. Whoever needs more looks up
 * since when it is there, and adds it.
 */
export function newerInStyles(css: string): string[] {
  const found = new Set<string>();
  const text = css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/"[^"]*"/g, '""');
  const refuse = (isKnown: boolean, what: string) => isKnown || found.add(what);
  for (const [, name = ''] of text.matchAll(/@([\w-]+)/g)) refuse(atRules.has(name), `@${name}`);
  for (const [, condition = ''] of text.matchAll(/@media\s*([^{]*?)\s*\{/g))
    refuse(conditions.has(condition), `@media ${condition}`);
  // Colours that are made from others.
  refuse(!/\(\s*from\s/.test(text), 'from');
  for (const [, name = ''] of text.matchAll(/([\w-]+)\(/g)) refuse(functions.has(name), `${name}()`);
  for (const [, unit = ''] of text.matchAll(/(?<![#\w-])\d*\.?\d+([a-z]+)\b/g)) refuse(units.has(unit), unit);
  for (const [, block = ''] of text.matchAll(/\{([^{}]*)\}/g))
    for (const line of block.split(';')) {
      const [property = ''] = line.split(':');
      if (property.trim() !== '') refuse(properties.test(property.trim()), property.trim());
    }
  for (const [selector = ''] of text.matchAll(/[^{};]+(?=\{)/g))
    for (const [, name = ''] of selector.replace(/@[^{]*/g, '').matchAll(/:{1,2}([\w-]+)/g))
      refuse(pseudos.has(name), `:${name}`);
  // Rules inside of others are nesting, unless the outer one is a condition or has steps.
  const withoutConditions = text.replace(/@(media|keyframes)[^{]*\{((?:[^{}]*\{[^{}]*\})*)\s*\}/g, '$2');
  for (const [nested] of withoutConditions.matchAll(/\{[^{}]*\{/g))
    found.add(`nesting: ${nested.trim().slice(0, 40)}`);
  return [...found];
}
