import { z } from 'zod';
import { wholeNumber } from './fields.ts';
import { html } from './html.ts';
import { ahead, time } from './layout.ts';
import { type Panel, PanelRefusal } from './panel.ts';
import { namedUsers } from './twitch-words.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The only step in which watching counts: Twitch is asked who is in the chat about once a minute. */
const minuteMs = 60_000;
const leaps = [
  ['1 hour', hourMs],
  ['1 day', dayMs],
  ['7 days', 7 * dayMs],
] as const;

/** Buttons that advance the clock; also shown on the overview. */
export function clockButtons() {
  const buttons = leaps.map(([name, ms]) => html`<button name="ms" value="${ms}">+${name}</button>`);
  return html`<form method="post" action="/clock/advance"><button class="minute" name="ms" value="${minuteMs}">+1 minute</button>${buttons}</form>
<p class="hint">Each minute counts as watch time for everyone in the chat of a live channel. A jump of more than two minutes does not count, because nobody checked who was there.</p>`;
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
  const { clock, twitch } = panel.worlds;
  const isUnseen = (stepMs: number) =>
    stepMs > 2 * minuteMs && namedUsers(twitch).some(({ id }) => twitch.streamOf(id));
  panel.page('/clock', () => ({
    title: 'Clock',
    section: '/clock',
    body: html`<p>World time is the current time for Steam, Twitch and the product: it decides when trade protection ends, offers and rewards expire, and streams start. It moves forward, and back only on the Trouble page. Logins and tokens use system time.</p>
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
    'Moves world time forward by the sum of ms, minutes, hours and days.',
    advanceBody,
    (_params, { ms = 0, minutes = 0, hours = 0, days = 0 }) => {
      const stepMs = ms + minutes * minuteMs + hours * hourMs + days * dayMs;
      const outcome = clock.advance(stepMs);
      if (!outcome.ok) throw new PanelRefusal(400, outcome.message);
      const { nowMs, offsetMs } = outcome;
      const said = isUnseen(stepMs)
        ? 'Time moved forward. Nobody checked the chat in between, so it does not count as watch time.'
        : 'Time moved forward.';
      return { said, page: '/clock', result: { nowMs, offsetMs } };
    },
  );
}
