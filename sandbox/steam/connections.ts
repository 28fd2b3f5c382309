/** A client's open connection to Steam, through which the world notifies it. */
export type Connection = {
  /** The client's distinction between its sessions: `obfuscated_private_ip` of its log-on. */
  readonly logonId: number;
  /** The account's offers changed; `waitingOffers` received ones are open. */
  notify(waitingOffers: number): void;
  /** Ends the session with a result, such as 6 (logged in elsewhere) or 34 (session replaced). */
  kick(result: number): void;
  close(): void;
};

const logonSessionReplaced = 34;

/** The clients connected right now; the only part of the world that does not survive a restart. */
export class Connections {
  readonly #open = new Map<string, Set<Connection>>();

  /**
   * A second log-on from one address under one `logonID` ends the first session; under another they stay side by side
   * (`logOn` in the README of steam-user).
   */
  attach(steamId: string, connection: Connection) {
    const open = this.of(steamId);
    for (const other of open)
      if (other.logonId === connection.logonId) {
        other.kick(logonSessionReplaced);
        this.detach(steamId, other);
      }
    this.#open.set(steamId, new Set([...this.of(steamId), connection]));
  }

  detach(steamId: string, connection: Connection) {
    const open = this.#open.get(steamId);
    open?.delete(connection);
    if (open?.size === 0) this.#open.delete(steamId);
  }

  of(steamId: string): readonly Connection[] {
    return [...(this.#open.get(steamId) ?? [])];
  }
}
