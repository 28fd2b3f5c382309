import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readState, writeWhole } from '#sandbox/state-file.ts';

/** One received mail, as parsed; `to` are the envelope's recipients in lower case. */
export interface Mail {
  id: string;
  receivedAtMs: number;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  links: string[];
}

export interface Mailbox {
  /** Keeps a mail on disk, then shows it; the oldest beyond the limit goes. */
  add(mail: Omit<Mail, 'id'>): Promise<Mail>;
  /** Newest first, all or those to one address. */
  list(to?: string): Mail[];
  get(id: string): Mail | undefined;
  clear(): Promise<void>;
}

const fileName = /^\d{9}\.json$/;

function isMail(value: unknown): value is Mail {
  return (
    typeof value === 'object' && value !== null && 'id' in value && 'to' in value && Array.isArray(value.to)
  );
}

async function loadMails(folder: string): Promise<Mail[]> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name)).sort();
  const mails: Mail[] = [];
  for (const name of names) {
    const mail = await readState(join(folder, name));
    if (isMail(mail)) mails.push(mail);
  }
  return mails;
}

/** Opens the mailbox in a folder: one file per mail, numbered in order of arrival. */
export async function openMailbox(folder: string, limit = 500): Promise<Mailbox> {
  await mkdir(folder, { recursive: true });
  const mails = await loadMails(folder);
  let last = Number(mails.at(-1)?.id ?? 0);
  const pathOf = (id: string) => join(folder, `${id}.json`);

  return {
    async add(mail) {
      last += 1;
      const kept: Mail = { id: String(last).padStart(9, '0'), ...mail };
      await writeWhole(pathOf(kept.id), JSON.stringify(kept), 0o600);
      mails.push(kept);
      // Two writes may finish out of order; the number of arrival decides.
      mails.sort((a, b) => a.id.localeCompare(b.id));
      for (const old of mails.splice(0, Math.max(0, mails.length - limit))) {
        await rm(pathOf(old.id), { force: true });
      }
      return kept;
    },
    list(to) {
      const address = to?.trim().toLowerCase();
      return mails.filter((mail) => address === undefined || mail.to.includes(address)).reverse();
    },
    get: (id) => mails.find((mail) => mail.id === id),
    async clear() {
      for (const mail of mails.splice(0)) await rm(pathOf(mail.id), { force: true });
    },
  };
}
