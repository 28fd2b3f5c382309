/** A visitor's consent: to everything, or only to what the site needs to work. */
export type ConsentType = 'all' | 'essential';
export interface Consent {
  type: ConsentType;
  /** ISO date. */
  timestamp: string;
  version: string;
}

const storageKey = 'keepsake.cookie-consent';
export const consentVersion = '1.0';
const validityMs = 365 * 24 * 60 * 60 * 1000;
/** Dispatched on the window, with the consent as its detail, for scripts that may load only then. */
export const consentEvent = 'consent-updated';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The stored consent. If it is older than 365 days or unreadable it is removed, so that the banner asks again. */
export function readConsent(storage: Store, nowMs: number): Consent | null {
  const text = storage.getItem(storageKey);
  if (text === null) return null;
  const consent = parse(text);
  if (consent && nowMs - Date.parse(consent.timestamp) <= validityMs) return consent;
  storage.removeItem(storageKey);
  return null;
}

function parse(text: string): Consent | null {
  try {
    const { type, timestamp, version } = JSON.parse(text) as Partial<Consent>;
    if (type !== 'all' && type !== 'essential') return null;
    if (version !== consentVersion || timestamp === undefined || Number.isNaN(Date.parse(timestamp)))
      return null;
    return { type, timestamp, version };
  } catch {
    return null;
  }
}

/** Stores an answer and notifies listeners. */
export function giveConsent(storage: Store, target: EventTarget, type: ConsentType, nowMs: number): void {
  const consent: Consent = { type, timestamp: new Date(nowMs).toISOString(), version: consentVersion };
  storage.setItem(storageKey, JSON.stringify(consent));
  target.dispatchEvent(new CustomEvent(consentEvent, { detail: { type } }));
}
