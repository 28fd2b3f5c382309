import { createTransport } from 'nodemailer';
import { reasonOf } from './ask.ts';
import { tlsReason } from './examine-public-address.ts';
import type { Finding } from './finding.ts';

const DEADLINE_MS = 10_000;

const certificateRefused = (reason: string): Finding => ({
  name: 'mailCertificateRefused',
  what: `The certificate of the mail server in SMTP_URL is refused (${reason}).`,
  why: 'Mail waits in the database: nobody can confirm an address or set a new password.',
  remedy:
    'Give SMTP_URL the host name that is in the certificate. For a private one, set NODE_EXTRA_CA_CERTS to the file of its authority.',
});

/** Signs in at the mail server and sends nothing. */
export async function examineMailServer(smtpUrl: string): Promise<Finding[]> {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: DEADLINE_MS,
    greetingTimeout: DEADLINE_MS,
    socketTimeout: DEADLINE_MS,
  });
  try {
    await transport.verify();
    return [];
  } catch (error) {
    // nodemailer puts a code of its own in the place of Node's.
    const reason = (error as { originalCode?: string }).originalCode ?? reasonOf(error);
    if (tlsReason.test(reason)) return [certificateRefused(reason)];
    const isRefused = (error as { code?: unknown }).code === 'EAUTH';
    return [
      {
        name: isRefused ? 'mailRefused' : 'mailUnreachable',
        what: isRefused
          ? 'The mail server refuses the user or password in SMTP_URL.'
          : `The mail server in SMTP_URL does not answer (${reason}).`,
        why: 'Mail waits in the database: nobody can confirm an address or set a new password.',
        remedy: isRefused
          ? 'Correct user and password in SMTP_URL; special characters must be percent-encoded.'
          : 'Check host, port and protocol in SMTP_URL: smtps for port 465, smtp for 587.',
      },
    ];
  } finally {
    transport.close();
  }
}
