/** Text sealed by AES-256-GCM under the instance's key, for secrets at rest. */
export interface Vault {
  /** `purpose` names where the text lives (`twitch:123`), so that a sealed text moved elsewhere does not open. */
  seal(text: string, purpose: string): string;
  /** Throws when the text was altered, moved, or sealed under another key. */
  open(sealed: string, purpose: string): string;
}
