import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readState, writeWhole } from '#sandbox/state-file.ts';

/** A received and parsed mail; `to` lists the envelope's recipients in lower case. */
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
  /** Stores a mail on disk before it is listed, and deletes the oldest beyond the limit. */
  add(mail: Omit<Mail, 'id'>): Promise<Mail>;
  /** Lists mails, newest first: all, or those to one address. */
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

/** Opens a mailbox folder: one file per mail, numbered in order of arrival. */
export async function openMailbox(folder: string, limit = 500): Promise<Mailbox> {
  await mkdir(folder, { recursive: true });
  const mails = await loadMails(folder);
  let last = Number(mails.at(-1)?.id ?? 0);
  const pathOf = (id: string) => join(folder, `${id}.json`);

  return {
    async add(mail) {
      last += 1;
      const stored: Mail = { id: String(last).padStart(9, '0'), ...mail };
      await writeWhole(pathOf(stored.id), JSON.stringify(stored), 0o600);
      mails.push(stored);
      // Two writes may finish out of order; sort by number.
      mails.sort((a, b) => a.id.localeCompare(b.id));
      for (const old of mails.splice(0, Math.max(0, mails.length - limit))) {
        await rm(pathOf(old.id), { force: true });
      }
      return stored;
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
