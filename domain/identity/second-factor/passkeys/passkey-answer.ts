import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

/** The site that passkeys belong to. A browser signs for its domain (`rpId`) and names the page's origin. */
export interface PasskeySite {
  origin: string;
  rpId: string;
  /** As a browser shows it. */
  name: string;
}

/** What a passkey signed in a browser, and the token of the session or pending sign-in that asked for it. */
export interface PasskeyAnswer {
  response: AuthenticationResponseJSON;
  token: string;
  site: PasskeySite;
}

/** What a browser sends of a new passkey. */
export type NewPasskey = RegistrationResponseJSON;

/** What browsers know of ways to a passkey; others are not stored. */
const knownTransports: readonly AuthenticatorTransport[] = ['ble', 'hybrid', 'internal', 'nfc', 'usb'];

/** Transports as they are stored: known ones, with spaces between them. */
export const storedTransports = (transports: readonly string[] = []): string =>
  knownTransports.filter((known) => transports.includes(known)).join(' ');

/** The same as a browser takes them. */
export const transportsFrom = (stored: string): AuthenticatorTransport[] =>
  knownTransports.filter((known) => stored.split(' ').includes(known));

/** The package that reads WebAuthn's formats. Few people need it, so it is loaded with the first of them. */
export const loadWebAuthn = () => import('@simplewebauthn/server');
