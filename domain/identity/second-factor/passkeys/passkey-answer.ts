import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

/** The site that passkeys belong to. A browser signs for its domain (`rpId`) and names the page's origin. */
export interface PasskeySite {
  origin: string;
  rpId: string;
  /** The site's name as a browser shows it. */
  name: string;
}

/**
 * The data that a passkey signed in a browser, and the token of the session or pending sign-in that asked for
 * it.
 */
export interface PasskeyAnswer {
  response: AuthenticationResponseJSON;
  token: string;
  site: PasskeySite;
}

/** The data that a browser sends about a new passkey. */
export type NewPasskey = RegistrationResponseJSON;

/** Transports that browsers know; others are not stored. */
const knownTransports: readonly AuthenticatorTransport[] = ['ble', 'hybrid', 'internal', 'nfc', 'usb'];

/** Transports as they are stored: known ones, with spaces between them. */
export const storedTransports = (transports: readonly string[] = []): string =>
  knownTransports.filter((known) => transports.includes(known)).join(' ');

/** Parses stored transports into the form that browsers take. */
export const transportsFrom = (stored: string): AuthenticatorTransport[] =>
  knownTransports.filter((known) => stored.split(' ').includes(known));

/** Loads the package that reads WebAuthn's formats. Few people need it, so it is loaded on first use. */
export const loadWebAuthn = () => import('@simplewebauthn/server');
