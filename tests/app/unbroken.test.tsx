import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Unbroken } from '#app/components/text/unbroken.tsx';

test.each([
  ['Demo case', 'Demo case'],
  ['Desert Eagle | Trigger Discipline', 'Desert <span class="nowrap">Eagle |</span> Trigger Discipline'],
  ['M4A1-S | Night Terror', '<span class="nowrap">M4A1-S |</span> Night Terror'],
  ['Rifle · (Field-Tested)', 'Rifle · <span class="nowrap">(Field-Tested)</span>'],
  ['Demo - case', 'Demo - case'],
  ['one-word-too-long-for-any-tile', 'one-word-too-long-for-any-tile'],
])('%s breaks neither at its hyphens nor before its bar', (text, html) => {
  expect(renderToStaticMarkup(<Unbroken text={text} />)).toBe(html);
});
