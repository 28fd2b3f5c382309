import type tmi from 'tmi.js';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { minute } from '#domain/time.ts';

/** The pause before a JOIN without an answer (renamed or banned channel, busy server) is retried. */
const JOIN_RETRY_MS = minute;

/**
 * Joins and leaves one channel at a time, and leaves a chat at once that turns out to be somebody else's. Not with
 * tmi.js's promises, which give up before Twitch has answered.
 */
export function joinQueue(client: tmi.Client, everyMs: number, onJoined: (channelId: string) => void) {
  let wanted = new Map<string, string>();
  /** Channel ids by login. */
  const joined = new Map<string, string>();
  const shutUntilMs = new Map<string, number>();
  const joinRequestedAtMs = new Map<string, number>();
  let isStarted = false;
  /** When the last step was, in time that never leaps. */
  let steppedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const loginOf = (channel: string) => channel.replace(/^#/, '');

  const leave = (login: string) => {
    joined.delete(login);
    client.part(`#${login}`).catch(() => {});
    schedule();
  };
  /** Whether this is the wanted channel's chat; one that is not is left. */
  const isIn = (login: string, roomId: string | undefined): boolean => {
    const isWanted = roomId !== undefined && wanted.get(login) === roomId;
    if (!isWanted) leave(login);
    return isWanted;
  };

  /** Not if the login has passed on to another channel since. */
  const hasJoined = (login: string): boolean => joined.has(login) && joined.get(login) === wanted.get(login);

  // Twitch sends it after every JOIN, with the channel's id.
  client.on('roomstate', (channel, state) => {
    const login = loginOf(channel);
    const channelId = state['room-id'];
    if (channelId === undefined || !isIn(login, channelId) || joined.get(login) === channelId) return;
    joined.set(login, channelId);
    shutUntilMs.delete(login);
    onJoined(channelId);
  });
  client.on('part', (channel, _login, self) => {
    if (!self) return;
    joined.delete(loginOf(channel));
    schedule();
  });

  const nextToLeave = () => [...joined.keys()].find((login) => !hasJoined(login));
  const joinDueAtMs = (login: string): number =>
    Math.max((joinRequestedAtMs.get(login) ?? 0) + JOIN_RETRY_MS, shutUntilMs.get(login) ?? 0);
  const nextToJoin = (): string | undefined => {
    const missing = [...wanted.keys()].filter((login) => !joined.has(login));
    return missing.toSorted((one, other) => joinDueAtMs(one) - joinDueAtMs(other))[0];
  };

  const step = () => {
    steppedAtMs = performance.now();
    const leaving = nextToLeave();
    if (leaving) leave(leaving);
    const next = nextToJoin();
    if (next && joinDueAtMs(next) <= Date.now()) {
      joinRequestedAtMs.set(next, Date.now());
      client.join(`#${next}`).catch(() => {});
    }
    schedule();
  };

  /** Steps again when there is something to do: not at all while every wanted chat is joined and no other one is. */
  const schedule = () => {
    clearTimeout(timer);
    if (!isStarted) return;
    const next = nextToJoin();
    if (next === undefined && nextToLeave() === undefined) return;
    const dueInMs = next === undefined || nextToLeave() ? 0 : joinDueAtMs(next) - Date.now();
    timer = setTimeout(step, Math.max(dueInMs, steppedAtMs + everyMs - performance.now()));
  };

  return {
    joined: () => [...joined.keys()].filter(hasJoined),
    hasJoined,
    isIn,
    channelIdOf: (login: string): string | undefined => wanted.get(login),
    /** Leaves a chat that takes nothing from us, and does not come back before this time has passed. */
    shut(login: string, forMs: number): void {
      if (joined.has(login)) leave(login);
      shutUntilMs.set(login, Date.now() + forMs);
      schedule();
    },
    setChannels(rooms: readonly ChatRoom[]): void {
      wanted = new Map(rooms.map(({ login, channelId }) => [login.toLowerCase(), channelId]));
      for (const login of joinRequestedAtMs.keys()) if (!wanted.has(login)) joinRequestedAtMs.delete(login);
      for (const login of shutUntilMs.keys()) if (!wanted.has(login)) shutUntilMs.delete(login);
      schedule();
    },
    start(): void {
      if (isStarted) return;
      isStarted = true;
      step();
    },
    stop(): void {
      isStarted = false;
      clearTimeout(timer);
    },
  };
}
