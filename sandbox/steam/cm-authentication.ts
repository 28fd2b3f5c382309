import { constants, generateKeyPairSync, type KeyPairKeyObjectResult, privateDecrypt } from 'node:crypto';
import { generateAuthCode } from 'steam-totp';
import type { SteamPerson } from './state.ts';
import { issueToken, readToken } from './tokens.ts';
import type { SteamWorld } from './world.ts';

type Fields = Record<string, unknown>;
export type ServiceAnswer = { eresult: number; body: Fields };
type Service = { request: string; response: string; answer: (fields: Fields) => ServiceAnswer };

const result = { ok: 1, invalidPassword: 5, accessDenied: 15, twoFactorCodeMismatch: 88 } as const;
const confirmationType = { none: 1, deviceCode: 3 } as const;
const renewalAllowed = 1;
const pollSeconds = 0.1;

/** A password login waiting for its second factor. */
type Login = { person: SteamPerson; proven: boolean };

/** Steam's Authentication service: exchanges passwords and codes for refresh tokens, and those for access tokens. */
export class Authentication {
  readonly #world: SteamWorld;
  #keys: KeyPairKeyObjectResult | undefined;
  readonly #logins = new Map<string, Login>();
  readonly services: Record<string, Service>;

  constructor(world: SteamWorld) {
    this.#world = world;
    this.services = {
      'Authentication.GetPasswordRSAPublicKey#1': {
        request: 'CAuthentication_GetPasswordRSAPublicKey_Request',
        response: 'CAuthentication_GetPasswordRSAPublicKey_Response',
        answer: () => this.#publicKey(),
      },
      'Authentication.BeginAuthSessionViaCredentials#1': {
        request: 'CAuthentication_BeginAuthSessionViaCredentials_Request',
        response: 'CAuthentication_BeginAuthSessionViaCredentials_Response',
        answer: (fields) => this.#begin(fields),
      },
      'Authentication.UpdateAuthSessionWithSteamGuardCode#1': {
        request: 'CAuthentication_UpdateAuthSessionWithSteamGuardCode_Request',
        response: 'CAuthentication_UpdateAuthSessionWithSteamGuardCode_Response',
        answer: (fields) => this.#prove(fields),
      },
      'Authentication.PollAuthSessionStatus#1': {
        request: 'CAuthentication_PollAuthSessionStatus_Request',
        response: 'CAuthentication_PollAuthSessionStatus_Response',
        answer: (fields) => this.#poll(fields),
      },
      'Authentication.GenerateAccessTokenForApp#1': {
        request: 'CAuthentication_AccessToken_GenerateForApp_Request',
        response: 'CAuthentication_AccessToken_GenerateForApp_Response',
        answer: (fields) => this.#renew(fields),
      },
    };
  }

  #publicKey(): ServiceAnswer {
    // Generated for the first password only: most bots log on with a token, and a key takes time.
    this.#keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { n = '', e = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const hex = (part: string) => Buffer.from(part, 'base64url').toString('hex');
    return { eresult: result.ok, body: { publickey_mod: hex(n), publickey_exp: hex(e), timestamp: '1' } };
  }

  #begin(fields: Fields): ServiceAnswer {
    const person = this.#world.userByAccountName(String(fields.account_name));
    if (person?.login?.password !== this.#decrypt(String(fields.encrypted_password)) || person === null) {
      return refused(result.invalidPassword);
    }
    const id = String(1000 + this.#logins.size);
    const needsCode = person.login.sharedSecret !== '';
    this.#logins.set(id, { person, proven: !needsCode });
    const confirmation = needsCode ? confirmationType.deviceCode : confirmationType.none;
    return {
      eresult: result.ok,
      body: {
        client_id: id,
        request_id: Buffer.from(id),
        interval: pollSeconds,
        steamid: person.steamId,
        weak_token: 'sandbox',
        allowed_confirmations: [{ confirmation_type: confirmation }],
      },
    };
  }

  #decrypt(encrypted: string): string | null {
    if (this.#keys === undefined) return null;
    // Node refuses PKCS#1 v1.5 decryption since its Bleichenbacher fix, so the padding is removed by hand.
    const padding = constants.RSA_NO_PADDING;
    try {
      const raw = privateDecrypt({ key: this.#keys.privateKey, padding }, Buffer.from(encrypted, 'base64'));
      return raw.subarray(raw.indexOf(0, 2) + 1).toString();
    } catch {
      return null;
    }
  }

  #prove(fields: Fields): ServiceAnswer {
    const login = this.#logins.get(String(fields.client_id));
    const secret = login?.person.login?.sharedSecret;
    if (login === undefined || secret === undefined) return refused(result.accessDenied);
    const ahead = this.#world.systemSeconds() - Math.floor(Date.now() / 1000);
    const codes = [0, -30, 30].map((offset) => generateAuthCode(secret, ahead + offset));
    if (!codes.includes(String(fields.code))) return refused(result.twoFactorCodeMismatch);
    login.proven = true;
    return { eresult: result.ok, body: {} };
  }

  #poll(fields: Fields): ServiceAnswer {
    const login = this.#logins.get(String(fields.client_id));
    if (login === undefined) return refused(result.accessDenied);
    if (!login.proven) return { eresult: result.ok, body: {} };
    this.#logins.delete(String(fields.client_id));
    return {
      eresult: result.ok,
      body: {
        refresh_token: issueToken(this.#world.state, login.person, 'refresh'),
        access_token: issueToken(this.#world.state, login.person, 'access'),
        account_name: login.person.login?.accountName,
      },
    };
  }

  #renew(fields: Fields): ServiceAnswer {
    const person = readToken(this.#world.state, String(fields.refresh_token), 'refresh');
    if (person === null) return refused(result.accessDenied);
    const body: Fields = { access_token: issueToken(this.#world.state, person, 'access') };
    if (fields.renewal_type === renewalAllowed) {
      body.refresh_token = issueToken(this.#world.state, person, 'refresh');
    }
    return { eresult: result.ok, body };
  }
}

function refused(eresult: number): ServiceAnswer {
  return { eresult, body: {} };
}
