import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { Names } from './person.ts';

interface DemoNotes {
  people: { email: string; password: string }[];
}

/** A person of the demo world, by Twitch name: 0 is its streamer, 1 to 12 are its viewers. */
export function demoPerson(place: number): Names {
  const notes = JSON.parse(readFileSync(join(process.env.E2E_DATA ?? '', 'demo.json'), 'utf8')) as DemoNotes;
  const { email = '', password = '' } = notes.people[place] ?? {};
  const login = place === 0 ? 'Demo_Streamer' : `Demo_Viewer_${String(place).padStart(2, '0')}`;
  return { login, email, password };
}

/** One at a time: the account stores the language it was last read in. */
export async function asDemoStreamer<T>(deed: () => Promise<T>): Promise<T> {
  const taken = join(process.env.E2E_DATA ?? '', 'demo-streamer-is-taken');
  // Only one process can create a folder.
  await expect(() => mkdirSync(taken)).toPass({ intervals: [250] });
  try {
    return await deed();
  } finally {
    rmdirSync(taken);
  }
}

/** What the page of the rules has to hold. */
const RULES = 40;

/** The demo streamer’s own plan allows fewer rules. By names alone, because the words depend on the language. */
async function choosePro(page: Page): Promise<void> {
  await page.goto('/billing/change?product=streamer&tier=pro&period=month');
  await page.getByRole('main').locator('form[method="post"] button.btn--primary').click();
  await page.waitForURL('**/billing');
}

/** Fills the demo streamer’s channel with rules, on the largest plan, which has room for more. */
export async function openManyRules(page: Page): Promise<void> {
  const api = page.context().request;
  const listed = await (await api.get('/api/v1/rules?page[size]=50')).json();
  await api.get('/sanctum/csrf-cookie');
  const token = (await page.context().cookies()).find(({ name }) => name === 'XSRF-TOKEN')?.value ?? '';
  const openRule = (place: number) =>
    api.post('/api/v1/rules', {
      headers: { 'X-XSRF-TOKEN': decodeURIComponent(token) },
      data: { name: `Evening number ${place}`, watch_minutes: 60 + place },
    });
  for (let place = listed.data.length + 1; place <= RULES; place++) {
    let answer = await openRule(place);
    if ((await answer.text()).includes('ruleLimit')) {
      await choosePro(page);
      answer = await openRule(place);
    }
    expect(answer.status(), await answer.text()).toBe(201);
  }
}

const ITEMS = 3000;
/** What the panel gives at once. */
const GIFT = 100;

/** Fills the demo streamer’s Steam inventory, once. */
export async function giveManyItems(page: Page): Promise<void> {
  const panel = `http://localhost:${Number(process.env.E2E_FIRST_PORT) + 2}`;
  const { request } = page.context();
  await page.goto(`${panel}/steam`);
  await page.getByRole('main').getByRole('link', { name: 'Demo streamer', exact: true }).first().click();
  const person = page.url();
  const held = (await (await request.get(`${person}/inventory.json`)).json()).items.length;
  const kind = await page.getByLabel('Item from the catalogue').inputValue();
  for (let given = held; given < ITEMS; given += GIFT) {
    const answer = await request.post(`${person}/give`, { form: { kind, count: String(GIFT) } });
    expect(answer.ok()).toBe(true);
  }
}
