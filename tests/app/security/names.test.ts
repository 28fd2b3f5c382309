import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSqliteFile } from '#tests/support/database.ts';
import { webEnvironment } from '../support/web-environment.ts';

/** The real web process, with its own database. */
async function startWeb() {
  const { folder } = await makeSqliteFile();
  const variables = webEnvironment({ LOG_LEVEL: 'info', KEEPSAKE_DATA_DIR: folder });
  const child = spawn(process.execPath, ['--import', 'tsx', 'app/main.ts'], {
    env: { PATH: process.env.PATH ?? '', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { msg: string; url: string };
    if (said.msg !== 'listening') continue;
    child.stdout.resume();
    return { process: child as ChildProcess, url: said.url };
  }
  throw new Error('the web process did not start');
}

let web: Awaited<ReturnType<typeof startWeb>>;
beforeAll(async () => {
  if (!existsSync('build/server/index.js'))
    execFileSync('npx', ['react-router', 'build'], { stdio: 'ignore' });
  web = await startWeb();
});
afterAll(async () => {
  web.process.kill('SIGTERM');
  await once(web.process, 'exit');
});

const nasty = '</script><script>alert(1)</script>';

test('A name is text wherever a page shows it, also in the page’s data', async () => {
  const answer = await fetch(new URL('/auth/signup', web.url), {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams({
      name: nasty,
      email: 'demo@example.org',
      password: 'a short sentence',
      terms: 'on',
      without_script: 'on',
    }),
  });
  expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/email/unverified']);
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  for (const path of ['/', '/faq', '/contact_us', '/auth/signout']) {
    const page = await fetch(new URL(path, web.url), { headers: { Cookie: cookie } });
    const html = await page.text();
    expect(page.status, path).toBe(200);
    expect(html, path).toContain('alert(1)');
    expect(html, path).not.toContain('<script>alert(1)');
  }
});

test('A value from the URL is text on the page that shows it', async () => {
  const query = new URLSearchParams({ token: nasty, email: `"><img src=x>${nasty}` });
  const page = await fetch(new URL(`/auth/reset-password?${query}`, web.url));
  const html = await page.text();
  expect(html).not.toContain('<script>alert(1)');
  expect(html).not.toContain('<img src=x>');
});
