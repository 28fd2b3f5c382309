import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Unbroken } from '#app/components/text/unbroken.tsx';

test.each([
  ['AWP | Redline', 'AWP | Redline'],
  ['M4A1-S | Night Terror', '<span class="nowrap">M4A1-S</span> | Night Terror'],
  ['Rifle · (Field-Tested)', 'Rifle · <span class="nowrap">(Field-Tested)</span>'],
  ['Demo - case', 'Demo - case'],
  ['one-word-too-long-for-any-tile', 'one-word-too-long-for-any-tile'],
])('%s does not break at its hyphens', (text, html) => {
  expect(renderToStaticMarkup(<Unbroken text={text} />)).toBe(html);
});
