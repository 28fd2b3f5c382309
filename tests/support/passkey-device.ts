import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const CREDENTIAL_ATTACHED = 0x40;

interface Options {
  challenge: string;
}

/** The differences that a person at the device, or a thief in between, makes. */
interface Deviation {
  origin?: string;
  rpId?: string;
  /** A counter other than the next. */
  counter?: number;
  /** Signs with the key of another device. */
  signer?: PasskeyDevice;
  isPresent?: boolean;
  /** True if it asked for a finger, a face or a PIN. */
  isVerified?: boolean;
  /** The account that the passkey names, as a device does where nobody was named before. */
  names?: string;
}

/** A device with one passkey: ES256, attestation "none", as WebAuthn level 2 writes them. */
export class PasskeyDevice {
  readonly id = randomBytes(32);
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #counter: number;
  readonly #counts: boolean;

  /** One that does not count, like most synchronized passkeys, always says 0. */
  constructor({ counts = true } = {}) {
    this.#counts = counts;
    this.#counter = 0;
  }

  get privateKey(): KeyObject {
    return this.#keys.privateKey;
  }

  /** The public key as COSE writes it: EC2, ES256, P-256. */
  get publicKey(): Uint8Array {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    return isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, coordinate(x)],
        [-3, coordinate(y)],
      ]),
    );
  }

  /** The part of it that an account stores. */
  get stored() {
    const [credentialId, publicKey] = [this.id, this.publicKey].map((part) =>
      Buffer.from(part).toString('base64url'),
    );
    return { credentialId: credentialId ?? '', publicKey: publicKey ?? '', counter: 0 };
  }

  /** Makes the passkey for a challenge. `attestation` replaces format and statement. */
  register(
    { challenge }: Options,
    { origin = 'http://localhost:3000', rpId = 'localhost', isPresent = true }: Deviation = {},
    attestation: [string, Map<string, unknown>] = ['none', new Map()],
  ): RegistrationResponseJSON {
    const idLength = Buffer.from([0, this.id.length]);
    const attached = Buffer.concat([Buffer.alloc(16), idLength, this.id, this.publicKey]);
    const authData = this.#authData({ rpId, isPresent, counter: 0 }, attached);
    const [format, statement] = attestation;
    const attestationObject = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', new Uint8Array(authData)],
      ]) as never,
    );
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
      attestationObject: Buffer.from(attestationObject).toString('base64url'),
      transports: ['internal', 'hybrid'],
    });
  }

  /** Signs a challenge with it. */
  sign({ challenge }: Options, deviation: Deviation = {}): AuthenticationResponseJSON {
    const {
      origin = 'http://localhost:3000',
      rpId = 'localhost',
      isPresent = true,
      isVerified = true,
      signer = this,
      names,
    } = deviation;
    if (this.#counts) this.#counter++;
    const counter = deviation.counter ?? this.#counter;
    const authData = this.#authData({ rpId, isPresent, isVerified, counter });
    const client = clientData('webauthn.get', challenge, origin);
    const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()]);
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(signer.privateKey).toString('base64url'),
      ...(names !== undefined && { userHandle: Buffer.from(names).toString('base64url') }),
    });
  }

  #authData(
    {
      rpId,
      isPresent,
      isVerified = true,
      counter,
    }: { rpId: string; isPresent: boolean; isVerified?: boolean; counter: number },
    attached = Buffer.alloc(0),
  ): Buffer {
    const flags =
      (isPresent ? USER_PRESENT : 0) |
      (isPresent && isVerified ? USER_VERIFIED : 0) |
      (attached.length > 0 ? CREDENTIAL_ATTACHED : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), head, attached]);
  }

  #credential<T>(response: T) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key' as const, response, clientExtensionResults: {} };
  }
}

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
