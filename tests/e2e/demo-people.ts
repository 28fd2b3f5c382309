import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type APIResponse, expect, type Page } from '@playwright/test';
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

/** The viewer whose address the setting OPERATOR_ACCOUNT names in these tests. */
export const OPERATOR = 10;

/** Number of rules on the page of the rules. */
const RULES = 40;

/** By names alone, because the words depend on the language. */
async function choosePro(page: Page): Promise<void> {
  await page.goto('/billing/change?product=streamer&tier=pro&period=month');
  await page.getByRole('main').locator('form[method="post"] button.btn--primary').click();
  await page.waitForURL('**/billing');
}

/** Calls the API as the user who is signed in on a page. */
export async function callApi(page: Page, path: string, data?: object): Promise<APIResponse> {
  const { request } = page.context();
  if (data === undefined) return request.get(`/api/v1${path}`);
  await request.get('/sanctum/csrf-cookie');
  const token = (await page.context().cookies()).find(({ name }) => name === 'XSRF-TOKEN')?.value ?? '';
  return request.post(`/api/v1${path}`, { headers: { 'X-XSRF-TOKEN': decodeURIComponent(token) }, data });
}

/** Opens a rule as the demo streamer, on the largest plan once the own one has no room. Returns its id. */
export async function openRuleByApi(page: Page, rule: object): Promise<string> {
  let answer = await callApi(page, '/rules', rule);
  if ((await answer.text()).includes('ruleLimit')) {
    await choosePro(page);
    answer = await callApi(page, '/rules', rule);
  }
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()).data.id;
}

/** Fills the demo streamer’s channel with rules. */
export async function openManyRules(page: Page): Promise<void> {
  const listed = await (await callApi(page, '/rules?page[size]=50')).json();
  for (let place = listed.data.length + 1; place <= RULES; place++)
    await openRuleByApi(page, { name: `Evening number ${place}`, watch_minutes: 60 + place });
}

const ITEMS = 3000;
/** Number of items that the panel gives at once. */
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
