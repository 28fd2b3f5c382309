import { z } from 'zod';
import { wholeNumber } from './fields.ts';
import { html } from './html.ts';
import { ahead, time } from './layout.ts';
import { type Panel, PanelRefusal } from './panel.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const steps = [
  ['1 hour', hourMs],
  ['1 day', dayMs],
  ['7 days', 7 * dayMs],
] as const;

/** Buttons that advance the clock; also shown on the overview. */
export function clockButtons() {
  const buttons = steps.map(([name, ms]) => html`<button name="ms" value="${ms}">Advance ${name}</button>`);
  return html`<form method="post" action="/clock/advance">${buttons}</form>`;
}

/** The parts add up, so a form can offer days and hours besides milliseconds. */
const advanceBody = z.object({
  ms: wholeNumber(0, 366 * dayMs).optional(),
  minutes: wholeNumber(0, 60 * 24 * 366).optional(),
  hours: wholeNumber(0, 24 * 366).optional(),
  days: wholeNumber(0, 366).optional(),
});

/** The world's time, and the verb that advances it. */
export function addClockPages(panel: Panel): void {
  const { clock } = panel.worlds;
  panel.page('/clock', () => ({
    title: 'Clock',
    section: '/clock',
    body: html`<p>World time rules what Steam, Twitch and the product call now: protection of traded items, expiry of offers, deadlines of rewards, the start of a stream. It only runs forward. Logins and tokens stay on system time.</p>
<section><h2>${time(clock.now())}</h2><p class="hint">${ahead(clock.offsetMs())}</p>
${clockButtons()}
<form method="post" action="/clock/advance">
<label class="short">Days <input name="days" type="number" min="0" required max="366" value="0"></label>
<label class="short">Hours <input name="hours" type="number" min="0" required max="8784" value="0"></label>
<label class="short">Minutes <input name="minutes" type="number" min="0" required max="527040" value="10"></label>
<button class="primary">Advance</button></form></section>`,
  }));

  panel.verb(
    '/clock/advance',
    'Advances the world by ms, minutes, hours and days together.',
    advanceBody,
    (_params, { ms = 0, minutes = 0, hours = 0, days = 0 }) => {
      const outcome = clock.advance(ms + minutes * 60_000 + hours * hourMs + days * dayMs);
      if (!outcome.ok) throw new PanelRefusal(400, outcome.message);
      const { nowMs, offsetMs } = outcome;
      return { said: 'The world has moved on.', page: '/clock', result: { nowMs, offsetMs } };
    },
  );
}
