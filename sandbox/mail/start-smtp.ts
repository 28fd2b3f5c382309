import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import type { Mailbox } from './mailbox.ts';
import { parseMail } from './parse-mail.ts';

export const maxMailBytes = 1024 * 1024;

export interface SmtpOptions {
  mailbox: Mailbox;
  now: () => number;
  port: number;
}

class Refusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

async function readMessage(stream: SMTPServerDataStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  // SMTP requires reading an oversized message to its end, but it is not stored.
  for await (const chunk of stream) {
    if (!stream.sizeExceeded) chunks.push(chunk);
  }
  if (stream.sizeExceeded) throw new Refusal(552, `Mail is larger than ${maxMailBytes} bytes.`);
  return Buffer.concat(chunks);
}

/** Accepts every mail on loopback, without login or TLS, and stores it in the mailbox. */
export async function startSmtp({ mailbox, now, port }: SmtpOptions) {
  const server = new SMTPServer({
    // STARTTLS would offer a certificate that no client trusts.
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: maxMailBytes,
    maxClients: 50,
    closeTimeout: 500,
    logger: false,
    onData(stream, session, callback) {
      const { mailFrom, rcptTo } = session.envelope;
      const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map((to) => to.address) };
      readMessage(stream)
        .then((raw) => parseMail(raw, envelope))
        .then((mail) => mailbox.add({ ...mail, receivedAtMs: now() }))
        .then(
          (mail) => callback(null, `Kept as ${mail.id}`),
          (error) =>
            callback(error instanceof Refusal ? error : new Refusal(451, 'The mail could not be kept.')),
        );
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Without a listener, a client that drops its connection would end the process.
  server.on('error', () => undefined);
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
