import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestPanel, type TestPanel } from './test-panel.ts';

const dayMs = 86_400_000;
let world: TestPanel;

beforeEach(async () => {
  world = await openTestPanel();
});

afterEach(async () => {
  await world.close();
  expect(world.failures).toEqual([]);
});

test('Every page opens, has one heading and allows no script', async () => {
  const { streamer, giver, bot } = world;
  const mail = await world.mailbox.add({
    receivedAtMs: 1,
    from: 'a@b.example',
    to: ['c@d.example'],
    subject: 'Hello',
    text: 'Hi',
    html: '<p>Hi</p>',
    links: ['http://localhost:3000/x'],
  });
  const paths = [
    '/',
    '/twitch',
    '/twitch/people',
    `/twitch/${streamer.id}`,
    `/twitch/${streamer.id}/chat`,
    '/steam',
    `/steam/users/${giver.steamId}`,
    `/steam/users/${bot.steamId}`,
    '/mail',
    `/mail/${mail.id}`,
    '/clock',
    '/trouble',
    '/api',
  ];
  for (const path of paths) {
    const page = await world.see(path);
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/<script|undefined|\[object Object\]|NaN/);
    if (!path.endsWith('/chat')) expect(page.text.match(/<h1>/g)).toHaveLength(1);
  }
  expect((await world.see('/panel.css')).headers['content-type']).toContain('text/css');
});

test('The API page lists every verb', async () => {
  const page = await world.see('/api');
  for (const route of [
    '/twitch/:broadcasterId/live',
    '/steam/users/:steamId/give',
    '/clock/advance',
    '/trouble/clear',
    '/world.json',
  ]) {
    expect(page.text).toContain(route);
  }
});

test('The world summary counts the crowd and lists the people', async () => {
  world.twitch.goLive(world.streamer.id, { title: 'Hello' });
  world.twitch.addChatters(world.streamer.id, 30);
  const view = await world.read('/world.json');
  expect(Math.abs(view.nowMs - Date.now())).toBeLessThan(5000);
  expect(view.twitch.users.map((user: { login: string }) => user.login)).toEqual([
    'demo_streamer',
    'demo_viewer',
    'demo_other',
  ]);
  expect(view.twitch.channels).toEqual([
    expect.objectContaining({ broadcasterId: world.streamer.id, live: true, title: 'Hello', chatters: 30 }),
  ]);
  expect(view.steam.users).toContainEqual({
    steamId: world.giver.steamId,
    name: 'Demo giver',
    isBot: false,
    isConnected: false,
    tradeUrl: world.steam.tradeUrlOf(world.giver),
    items: 0,
  });
});

test('A form redirects to the page it came from and says what happened', async () => {
  const answer = await world.submit(
    '/clock/advance',
    { days: '7', hours: '0' },
    { referer: 'http://localhost:3010/?said=old', host: 'localhost:3010' },
  );
  expect(answer.statusCode).toBe(303);
  expect(answer.headers.location).toBe('/?said=Time%20moved%20forward.');
  expect(world.clock.offsetMs()).toBe(7 * dayMs);
  const page = await world.see(String(answer.headers.location));
  expect(page.text).toContain('Time moved forward.');
  expect(page.text).toContain('7 days ahead');
});

test('A leap while somebody is live says that it does not count as watching, and a minute does not', async () => {
  const { streamer, twitch } = world;
  twitch.goLive(streamer.id);
  const unseen = /Nobody checked the chat in between/;
  const after = async (fields: Record<string, string>) => {
    const { headers } = await world.submit('/clock/advance', fields);
    return (await world.see(String(headers.location))).text;
  };
  expect(await after({ minutes: '1' })).not.toMatch(unseen);
  expect(await after({ hours: '1' })).toMatch(unseen);
});

test('A form from elsewhere redirects to its verb’s page', async () => {
  const answer = await world.submit('/clock/advance', { hours: '1' }, { referer: 'http://evil.example/x' });
  expect(answer.headers.location).toBe('/clock?said=Time%20moved%20forward.');
});

test('User input is shown as text, never as markup', async () => {
  const evil = '<img src=x onerror=alert(1)>"\'';
  await world.play(`/twitch/${world.streamer.id}/say`, { userId: world.viewer.id, text: evil });
  await world.play(`/twitch/${world.streamer.id}/live`, { title: evil });
  await world.play('/steam/users', { name: '<b>bold</b>' });
  for (const path of [
    `/twitch/${world.streamer.id}`,
    `/twitch/${world.streamer.id}/chat`,
    '/steam',
    `/?said=${encodeURIComponent(evil)}`,
  ]) {
    expect((await world.see(path)).text).not.toMatch(/<img src=x|<b>bold/);
  }
});

test('Other sites and other host names cannot use the panel', async () => {
  const foreign = await world.submit('/clock/advance', { hours: '1' }, { 'sec-fetch-site': 'cross-site' });
  const neighbour = await world.submit('/clock/advance', { hours: '1' }, { 'sec-fetch-site': 'same-site' });
  const rebound = await world.submit('/clock/advance', { hours: '1' }, { host: 'evil.example' });
  expect([foreign.statusCode, neighbour.statusCode, rebound.statusCode]).toEqual([403, 403, 403]);
  expect(world.clock.offsetMs()).toBe(0);
});

test('A bad request is answered with a reason, as a page and as JSON', async () => {
  const json = await world.play('/clock/advance', { days: 'many' });
  expect(json).toEqual({ status: 400, body: { message: 'days: must be a whole number.' } });
  const page = await world.submit('/clock/advance', { days: '400' });
  expect(page.statusCode).toBe(400);
  expect(page.body).toContain('days: must be at most 366.');
  expect((await world.play('/clock/advance', {})).body.message).toMatch(/never goes backwards/);
  expect((await world.play('/no/such/verb')).status).toBe(404);
  expect((await world.see('/mail/000000009')).status).toBe(404);
  const broken = await world.panel.inject({
    method: 'POST',
    url: '/clock/advance',
    payload: '{',
    headers: { 'content-type': 'application/json' },
  });
  expect(broken.statusCode).toBe(400);
});

test('The inbox lists, filters and frames mails', async () => {
  const mail = {
    receivedAtMs: 1,
    from: 'a@b.example',
    text: 'Go http://localhost:3000/verify',
    links: ['http://localhost:3000/verify'],
  };
  await world.mailbox.add({ ...mail, to: ['one@d.example'], subject: 'First', html: '' });
  const second = await world.mailbox.add({
    ...mail,
    to: ['two@d.example'],
    subject: 'Second',
    html: '<html><head></head><body><script>1</script><a href="http://localhost:3000/verify">x</a></body></html>',
  });
  expect((await world.read('/mail.json')).mails.map((one: { subject: string }) => one.subject)).toEqual([
    'Second',
    'First',
  ]);
  expect((await world.read('/mail.json?to=ONE@d.example')).mails).toEqual([
    expect.objectContaining({ subject: 'First', links: mail.links }),
  ]);
  expect((await world.see('/mail?to=one@d.example')).text).not.toContain('Second');
  expect((await world.see(`/mail/${second.id}`)).text).toContain('href="http://localhost:3000/verify"');
  const letter = await world.see(`/mail/${second.id}/html`);
  expect(letter.headers['content-security-policy']).toMatch(
    /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
  );
  expect(letter.text).toContain('<head><base target="_blank">');
  await world.play('/mail/clear');
  expect((await world.read('/mail.json')).mails).toEqual([]);
});
