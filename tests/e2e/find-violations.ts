import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/**
 * The axe violations of a page. In one run, because no page has a frame: otherwise axe opens another page to combine
 * results. What passed is not described, which takes a quarter of the time and more. `within` names the part that is
 * looked at, if it is not all of the page.
 */
export async function findViolations(page: Page, within?: string): Promise<string[]> {
  const builder = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
  const { violations } = await (within === undefined ? builder : builder.include(within)).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** Number of pixels by which a page is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
