/** Encrypts secrets at rest with AES-256-GCM under the instance's key. */
export interface Vault {
  /** `purpose` names where the text is stored (`twitch:123`), so that text moved elsewhere cannot be decrypted. */
  seal(text: string, purpose: string): string;
  /** Throws if the text was altered, moved or encrypted with another key. */
  open(sealed: string, purpose: string): string;
}
