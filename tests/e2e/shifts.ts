import type { BrowserContext, Page } from '@playwright/test';

/** As much of a page may move by itself. */
export const MAX_SHIFT = 0.02;

/** Sums up layout shifts without user input on each page, from its start. */
export const watchShifts = (on: BrowserContext | Page): Promise<unknown> =>
  on.addInitScript(() => {
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[])
        if (!entry.hadRecentInput) (window as unknown as { shift: number }).shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** The sum for a page that has been opened, once its fonts are there. */
export const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    // Two frames: one to render the fonts, and one after which the shift is reported.
    for (let frame = 0; frame < 2; frame++) await new Promise((done) => requestAnimationFrame(done));
    return (window as unknown as { shift: number }).shift;
  });
