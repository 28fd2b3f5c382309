import { type RequestFault, RequestFaults } from '#sandbox/request-faults.ts';
import { type OddAnswer, type OddAnswerName, oddAnswers } from './odd-answers.ts';

export const socketFaults = [
  'ircKill',
  'ircReconnect',
  'ircHalfOpen',
  'eventSubReconnect',
  'eventSubDrop',
  'eventSubHalfOpen',
  'eventSubDropShard',
  'eventSubDeleteConduits',
] as const;

/** A fault of all sockets that are open now. */
export type SocketFault = (typeof socketFaults)[number];

/**
 * The ways in which a chat refuses accounts that neither own nor moderate it: the ids of Twitch's notices and
 * their texts (dev.twitch.tv/docs/irc/msg-id). A ban refuses the JOIN too (believed: the page names the
 * notice, not the command).
 */
export const chatRefusals = {
  msg_banned: 'You are permanently banned from talking in this channel.',
  msg_timedout: 'You are timed out for 600 more seconds.',
  msg_followersonly:
    'This room is in 10 minutes followers-only mode. Follow this channel to join the community!',
  msg_subsonly: 'This room is in subscribers only mode. To talk, purchase a channel subscription.',
  msg_rejected: 'Your message is being checked by mods and has not been sent.',
  msg_rejected_mandatory:
    "Your message wasn't posted due to conflicts with the channel's moderation settings.",
  msg_channel_suspended: 'This channel does not exist or has been suspended.',
} as const;
export type ChatRefusal = keyof typeof chatRefusals;
const refusesJoins: readonly ChatRefusal[] = ['msg_banned', 'msg_channel_suspended'];

/**
 * The reasons why Send Chat Message drops a line: codes that were seen in public, with Twitch's text where it
 * was quoted (twitchdev/issues 1019 and Twitch4J's ChatDropReason; Twitch documents none, twitchdev/issues
 * 962).
 */
export const chatDrops = {
  msg_duplicate: 'Your message was not sent because it is identical to the previous one you sent.',
  msg_ratelimit: 'Your message was not sent because you are sending messages too quickly.',
  msg_rejected: 'Your message is being checked by mods and has not been sent.',
  channel_settings: "Your message was not sent because of the channel's settings.",
  user_warned: 'You have to acknowledge a warning before you can chat.',
  // As recorded (twitchdev/issues 1002): unlike IRC's notice, it does not say for how long.
  user_timed_out: 'You are timed out from talking in the room.',
} as const;
export type ChatDrop = keyof typeof chatDrops;

/** Faults on demand. Not saved: a fault is an action, not part of the world's state. */
export class Faults {
  readonly #requests = new RequestFaults();
  #duplicateEvents = 0;
  #lateEvents = 0;
  #lostEvents = 0;
  #chats = new Map<string, ChatRefusal>();
  #lineDrops: ChatDrop[] = [];
  readonly #unspeakable = { title: new Set<string>(), prompt: new Set<string>() };
  readonly #odd = new Map<OddAnswerName, number>();
  /** Null: lines go out at once. */
  #heldLines: (() => void)[] | null = null;
  #banListeners = new Set<(broadcasterId: string) => void>();
  #listeners = new Set<(fault: SocketFault) => void>();

  /** Makes the next `times` matching requests fail as described. */
  failNext(fault: RequestFault): void {
    this.#requests.add(fault);
  }

  /** Takes one of the pending faults of requests back. */
  stopFailing(fault: RequestFault): void {
    this.#requests.remove(fault);
  }

  /** Makes AutoMod refuse custom rewards with this word in their title or prompt; '' refuses any but an empty one. */
  refuseWord(field: 'title' | 'prompt', word: string): void {
    this.#unspeakable[field].add(word);
  }

  /** Returns whether AutoMod refuses a custom reward's title or prompt. */
  isRefused(field: 'title' | 'prompt', text: string): boolean {
    return text !== '' && [...this.#unspeakable[field]].some((word) => text.includes(word));
  }

  /** Answers the next `times` matching requests in one of the odd ways; 0 ends that. */
  answerOddly(name: OddAnswerName, times = 1): void {
    if (times > 0) this.#odd.set(name, times);
    else this.#odd.delete(name);
  }

  /** Takes the odd answer to a successful request. */
  takeOddAnswer(method: string, path: string): OddAnswer | null {
    for (const [name, times] of method === 'GET' ? this.#odd : []) {
      const odd = oddAnswers[name];
      if (odd.path !== path) continue;
      this.answerOddly(name, times - 1);
      return odd;
    }
    return null;
  }

  /**
   * Lets subscriptions of closed sockets stay with this status, and answers 409 to the same one over any socket
   * of the user (Battle-Cattle/BCUK-Bot-4 pull 569); null ends that.
   */
  lingering: 'enabled' | 'websocket_disconnected' | null = null;

  /** Sends the next `count` EventSub notifications twice, with the same message id. */
  duplicateNextEvent(count = 1): void {
    this.#duplicateEvents += count;
  }

  /** Sends the next `count` EventSub notifications after the one that follows them, with their original times. */
  delayNextEvent(count = 1): void {
    this.#lateEvents += count;
  }

  /** Never sends the next `count` EventSub notifications. */
  loseNextEvent(count = 1): void {
    this.#lostEvents += count;
  }

  /** Makes a channel's chat refuse accounts without a role there; null ends that. */
  refuseChat(broadcasterId: string, refusal: ChatRefusal | null): void {
    if (refusal) this.#chats.set(broadcasterId, refusal);
    else this.#chats.delete(broadcasterId);
    if (refusal === 'msg_banned') for (const listener of this.#banListeners) listener(broadcasterId);
  }

  /** Drops the next `count` lines of Send Chat Message for this reason. */
  dropNextLine(reason: ChatDrop, count = 1): void {
    this.#lineDrops.push(...Array.from({ length: count }, () => reason));
  }

  takeLineDrop(): ChatDrop | null {
    return this.#lineDrops.shift() ?? null;
  }

  /**
   * Keeps chat lines back from their readers, until they are released with the times at which they were
   * written.
   */
  holdLines(): void {
    this.#heldLines ??= [];
  }

  releaseLines(): void {
    const held = this.#heldLines ?? [];
    this.#heldLines = null;
    for (const deliver of held) deliver();
  }

  /** Delivers a chat line, or keeps it back. */
  passLine(deliver: () => void): void {
    if (this.#heldLines) this.#heldLines.push(deliver);
    else deliver();
  }

  /** Called when a chat begins to ban accounts without a role there. */
  onBan(listener: (broadcasterId: string) => void): () => void {
    this.#banListeners.add(listener);
    return () => this.#banListeners.delete(listener);
  }

  /** The notice with which a chat refuses a line, or a JOIN. */
  chatRefusal(broadcasterId: string, act: 'line' | 'join'): { id: ChatRefusal; text: string } | null {
    const id = this.#chats.get(broadcasterId);
    if (!id || (act === 'join' && !refusesJoins.includes(id))) return null;
    return { id, text: chatRefusals[id] };
  }

  /** Applies to every open socket of its kind. */
  strike(fault: SocketFault): void {
    for (const listener of this.#listeners) listener(fault);
  }

  /** Faults that have not taken effect yet. */
  pending(): {
    requests: readonly RequestFault[];
    duplicateEvents: number;
    lateEvents: number;
    lostEvents: number;
    refusingChats: number;
    oddAnswers: number;
    droppedLines: number;
    /** Null: lines are not held. */
    heldLines: number | null;
  } {
    return {
      requests: this.#requests.pending(),
      duplicateEvents: this.#duplicateEvents,
      lateEvents: this.#lateEvents,
      lostEvents: this.#lostEvents,
      refusingChats: this.#chats.size,
      oddAnswers: [...this.#odd.values()].reduce((sum, times) => sum + times, 0),
      droppedLines: this.#lineDrops.length,
      heldLines: this.#heldLines?.length ?? null,
    };
  }

  clear(): void {
    this.#requests.clear();
    this.lingering = null;
    this.#duplicateEvents = 0;
    this.#lateEvents = 0;
    this.#lostEvents = 0;
    this.#chats.clear();
    this.#odd.clear();
    for (const words of Object.values(this.#unspeakable)) words.clear();
    this.#lineDrops = [];
    this.releaseLines();
  }

  /** Takes the first fault that matches a request; called once per request. */
  takeRequestFault(method: string, path: string): Required<RequestFault> | null {
    return this.#requests.take(method, path);
  }

  takeDuplicateEvent(): boolean {
    if (this.#duplicateEvents === 0) return false;
    this.#duplicateEvents -= 1;
    return true;
  }

  takeLostEvent(): boolean {
    if (this.#lostEvents === 0) return false;
    this.#lostEvents -= 1;
    return true;
  }

  takeLateEvent(): boolean {
    if (this.#lateEvents === 0) return false;
    this.#lateEvents -= 1;
    return true;
  }

  onSocketFault(listener: (fault: SocketFault) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
