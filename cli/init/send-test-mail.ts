import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { minute } from '#domain/kernel/time.ts';
import { botVariables } from '#platform/bot-variables.ts';
import { type Environment, readConfiguration } from '#platform/configuration.ts';
import { processVariables } from '#platform/shared-variables.ts';
import { hostOfWeb, webVariables } from '#platform/web-variables.ts';
import type { Prompt } from './prompt.ts';

const plan = {
  PUBLIC_URL: processVariables.PUBLIC_URL,
  PORT: processVariables.PORT,
  HOST: webVariables.HOST,
  SMTP_URL: botVariables.SMTP_URL,
  MAIL_FROM: botVariables.MAIL_FROM,
};

/** The link can be opened for this long. */
const WAIT_MS = 10 * minute;

interface Around {
  prompt: Prompt;
  print(line: string): void;
}

/**
 * Offers to send a mail with a link to the public address, where this process answers in place of the web: opening it
 * proves mail, address and certificate at once. False: nobody answers any more.
 */
export async function sendTestMail(
  environment: Environment,
  { prompt, print }: Around,
  waitMs = WAIT_MS,
): Promise<boolean> {
  const read = readConfiguration(plan, environment);
  if (!read.ok || !read.values.SMTP_URL || !read.values.PUBLIC_URL) return true;
  const { PUBLIC_URL: publicUrl, SMTP_URL: smtpUrl, MAIL_FROM: from, HOST, PORT: port } = read.values;
  const host = hostOfWeb({ HOST, PUBLIC_URL: publicUrl.href });
  for (;;) {
    const recipient = await prompt.ask(
      'Send a test mail with a link to the public address? (an address that you read, or Enter to do without): ',
    );
    if (recipient === null) return false;
    if (recipient === '') return true;
    const door = await openDoor(publicUrl, { host, port });
    if (!door.ok) {
      print(door.why);
      continue;
    }
    try {
      const problem = await send({ smtpUrl, from, recipient }, door.link);
      if (problem !== null) {
        print(`The mail was not taken: ${problem}`);
        continue;
      }
      print(
        `Sent. Open the link in it and press the button, within ${waitMs / minute} minutes. Meanwhile init answers at port ${port} in place of Keepsake.`,
      );
      const outcome = await door.wait(waitMs, prompt.left);
      print(outcome);
      if (outcome === proven) return true;
      if (prompt.left.aborted) return false;
    } finally {
      door.close();
    }
  }
}

const proven = 'Mail, public address and certificate work.';

const DEADLINE_MS = 15_000;

/** Returns why the mail server did not take the mail; null if it did. */
async function send(
  { smtpUrl, from, recipient }: { smtpUrl: string; from: string; recipient: string },
  link: string,
): Promise<string | null> {
  const timeouts = {
    connectionTimeout: DEADLINE_MS,
    greetingTimeout: DEADLINE_MS,
    socketTimeout: DEADLINE_MS,
  };
  const transport = createTransport({ url: smtpUrl, ...timeouts }, { from });
  try {
    // Addresses as objects: in a string, a comma or bracket could name another recipient.
    await transport.sendMail({ to: { name: '', address: recipient }, ...letterWith(link) });
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    transport.close();
  }
}

const letterWith = (link: string) => ({
  subject: 'Keepsake: test mail',
  text: `Keepsake sent this mail to test its settings. Open this link and press the button:\n\n${link}\n\nIf you did not ask for it, do nothing.\n`,
  html: `<p>Keepsake sent this mail to test its settings. Open this link and press the button:</p><p><a href="${link}">${link}</a></p><p>If you did not ask for it, do nothing.</p>`,
});

type Door =
  | { ok: false; why: string }
  | {
      ok: true;
      link: string;
      /** Waits for somebody to press the button. Returns what is to be said. */
      wait(ms: number, left: AbortSignal): Promise<string>;
      close(): void;
    };

/** Answers at the port of the web process, for one link. A person has to press its button: mail servers open links too. */
async function openDoor(
  publicUrl: URL,
  { host, port }: { host: string | undefined; port: number },
): Promise<Door> {
  const path = `/test-mail/${randomBytes(18).toString('base64url')}`;
  let press = (_outcome: string) => {};
  const pressed = new Promise<string>((resolve) => {
    press = resolve;
  });
  let isOpened = false;
  const server = createServer((request, response) => {
    if (request.url !== path) return response.writeHead(404).end();
    isOpened = true;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (request.method !== 'POST')
      return response.end(page('<form method="post"><button>It works</button></form>'));
    press(faultOfHost(request, publicUrl) ?? proven);
    return response.end(page('<p>Go back to the terminal.</p>'));
  });
  const why = await listen(server, host, port);
  if (why) return { ok: false, why };
  return {
    ok: true,
    link: new URL(path, publicUrl).href,
    async wait(ms, left) {
      const over = delay(ms, 'over' as const, { signal: left, ref: false }).catch(() => 'over' as const);
      const outcome = await Promise.race([pressed, over]);
      if (outcome !== 'over') return outcome;
      return isOpened
        ? 'The link was opened, and nobody pressed the button: perhaps only a mail server looked at it.'
        : `The link was not opened. If the mail did not come, look into the log of the mail server, and at SPF and DKIM of the sender's domain. If its link does not open, check DNS, the firewall, the certificate, and that the reverse proxy leads to port ${port} of this machine.`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const page = (inner: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Keepsake</title><h1>Keepsake: test mail</h1>${inner}</html>`;

/** Null if the request came under the public name. */
function faultOfHost({ headers }: IncomingMessage, { host }: URL): string | null {
  if (headers.host === host) return null;
  return `Mail and public address work, but requests arrive for the host ${headers.host ?? 'without a name'}: let the reverse proxy pass Host on (${host}).`;
}

/** Returns why the port cannot be used; null if it can. */
async function listen(server: Server, host: string | undefined, port: number): Promise<string | null> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return null;
  } catch (error) {
    return (error as { code?: string }).code === 'EADDRINUSE'
      ? `Something answers at port ${port} already. If it is Keepsake, stop it for this test, or ask it for a mail by resetting a password.`
      : `Port ${port} cannot be used: ${(error as Error).message}`;
  }
}
