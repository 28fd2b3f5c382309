import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { BotConfiguration } from '#bot/config.ts';
import type { WrittenMail } from '#bot/mail/templates.ts';
import type { MailResult } from '#domain/outbox/report-mail.ts';

export interface Mailer {
  /**
   * Hands a mail to its server, unless `mayEnd` says no once the server is ready to take it: that may have been long ago.
   * `id` names the mail: one that is sent a second time has the same Message-ID (RFC 5322, section 3.6.4).
   */
  send(recipient: string, mail: WrittenMail, id: string, mayEnd: () => boolean): Promise<MailResult>;
  close(): void;
}

const DEADLINE_MS = 15_000;

/** Mail servers repeat the recipient's address in refusals, which are stored and logged. */
const withoutAddresses = (text: string) => text.replace(/[^\s<>"']+@[^\s<>"']+/g, '[address]');

/** The content of a mail. It is read when the server is ready for it, and without its end it is no mail. */
async function* whileMayEnd(content: AsyncIterable<unknown>, mayEnd: () => boolean) {
  yield* content;
  if (!mayEnd()) throw new Error('its server was too slow, or this process was paused');
}

/** Makes a mailer for the configured mail server; null if there is none. */
export function createMailer({
  mail,
  publicUrl,
}: Pick<BotConfiguration, 'mail' | 'publicUrl'>): Mailer | null {
  if (!mail.smtpUrl) return null;
  const timeouts = {
    connectionTimeout: DEADLINE_MS,
    greetingTimeout: DEADLINE_MS,
    socketTimeout: DEADLINE_MS,
  };
  const transport = createTransport({ url: mail.smtpUrl, ...timeouts }, { from: mail.from });
  const ends = new Map<string, () => boolean>();
  transport.use('stream', ({ message, data }, done) => {
    const read = message.createReadStream.bind(message);
    const mayEnd = ends.get(String(data.messageId)) ?? (() => true);
    message.createReadStream = (options) => Readable.from(whileMayEnd(read(options), mayEnd));
    done();
  });
  return {
    async send(recipient, { subject, text, html, replyTo }, id, mayEnd) {
      const messageId = `<${id}@${publicUrl.hostname}>`;
      ends.set(messageId, mayEnd);
      try {
        // Addresses as objects: in a string, a comma or bracket could inject another recipient.
        const to = { name: '', address: recipient };
        const answers = replyTo ? { replyTo: { name: '', address: replyTo } } : {};
        await transport.sendMail({ to, subject, text, html, messageId, ...answers });
        return { sent: true };
      } catch (error) {
        const { message, responseCode = 0 } = error as Error & { responseCode?: number };
        // Only these codes mean that this mail can never be delivered; other 5xx codes may be temporary server policy.
        return {
          sent: false,
          error: withoutAddresses(message).slice(0, 300),
          permanent: [550, 551, 553, 554].includes(responseCode),
        };
      } finally {
        ends.delete(messageId);
      }
    },
    close: () => transport.close(),
  };
}
