import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { sendTestMail } from '../../cli/init/send-test-mail.ts';

/** A mail server that gives each mail's link to somebody. */
async function serveMail(open: (link: string) => Promise<unknown>): Promise<number> {
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('nobody') ? new Error('no such mailbox') : null),
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        done();
        const text = Buffer.concat(parts).toString().replaceAll('=\r\n', '');
        const [link = ''] = /http:\/\/\S+\/test-mail\/[\w-]+/.exec(text) ?? [];
        setImmediate(() => void open(link));
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.server.address() as AddressInfo).port;
}

const press = (link: string) => fetch(link, { method: 'POST' });

/** Answers with these addresses, where the link is opened so. Returns what was said, and the result. */
async function send(addresses: readonly string[], open: (link: string) => Promise<unknown>, waitMs?: number) {
  const port = await findFreePorts(1);
  const smtp = await serveMail(open);
  const left = [...addresses];
  const said: string[] = [];
  const environment = {
    PUBLIC_URL: `http://localhost:${port}`,
    PORT: String(port),
    SMTP_URL: `smtp://127.0.0.1:${smtp}`,
    MAIL_FROM: 'Keepsake <no-reply@keepsake.example>',
  };
  const prompt = {
    ask: async () => left.shift() ?? null,
    left: new AbortController().signal,
    close: () => {},
  };
  const goesOn = await sendTestMail(environment, { prompt, print: (line) => said.push(line) }, waitMs);
  return { goesOn, said: said.filter((line) => !line.startsWith('Sent.')), left, port };
}

test('A link that a person opens and whose button they press proves mail and address', async () => {
  const pages: string[] = [];
  const result = await send(['me@example.org'], async (link) => {
    pages.push(await (await fetch(link)).text());
    expect((await fetch(`${link}x`)).status).toBe(404);
    await press(link);
  });
  expect(result).toMatchObject({
    goesOn: true,
    said: ['Mail, public address and certificate work.'],
    left: [],
  });
  expect(pages[0]).toContain('<button>It works</button>');
  // Nothing answers there any more.
  await expect(fetch(`http://localhost:${result.port}/`)).rejects.toThrow();
});

test('A link that nobody opens, or only a mail server, proves nothing; Enter goes on', async () => {
  const unopened = await send(['me@example.org', ''], async () => {}, 200);
  expect(unopened).toMatchObject({
    goesOn: true,
    said: [expect.stringContaining('The link was not opened.')],
  });
  const looked = await send(['me@example.org', ''], fetch, 1000);
  expect(looked.said).toEqual([expect.stringContaining('nobody pressed the button')]);
});

test('A request under another name, a mail that is refused, and a taken port are each told apart', async () => {
  const renamed = await send(['me@example.org', ''], (link) => press(link.replace('localhost', '127.0.0.1')));
  expect(renamed.said).toEqual([expect.stringContaining('let the reverse proxy pass Host on')]);
  const refused = await send(['nobody@example.org', ''], press);
  expect(refused.said).toEqual([expect.stringMatching(/^The mail was not taken: .*no such mailbox/)]);

  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const said: string[] = [];
  const answers = ['me@example.org', ''];
  const prompt = {
    ask: async () => answers.shift() ?? null,
    left: new AbortController().signal,
    close: () => {},
  };
  const environment = {
    PUBLIC_URL: `http://localhost:${port}`,
    PORT: String(port),
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
  expect(await sendTestMail(environment, { prompt, print: (line) => said.push(line) })).toBe(true);
  expect(said).toEqual([expect.stringContaining(`Something answers at port ${port} already.`)]);
});

test('Whoever leaves is not asked again, and without mail or address nobody is asked', async () => {
  expect((await send([], press)).goesOn).toBe(false);
  const prompt = {
    ask: () => Promise.reject(new Error('asked')),
    left: new AbortController().signal,
    close: () => {},
  };
  expect(await sendTestMail({ PUBLIC_URL: 'http://localhost' }, { prompt, print: () => {} })).toBe(true);
});
