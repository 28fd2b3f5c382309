import type { BotDeps, PartReport } from '#bot/deps.ts';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { firstTimes } from '#bot/twitch/chat/chat-voice.ts';
import { type ChatPlan, keepPlan, noPlan, planChats } from '#bot/twitch/chat/plan-chats.ts';
import { type ChatOptions, startChat } from '#bot/twitch/chat/start-chat.ts';
import type { SubscriptionState, WantedSubscription } from '#bot/twitch/events/event-carrier.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { minute } from '#domain/time.ts';

/** The chats of all channels, across all chat accounts. */
export interface Chats {
  /** Sets the channels to be in, the most important first. `stateOf`: what became of a chat's subscription. */
  setChannels(
    rooms: readonly ChatRoom[],
    stateOf: (channelId: string, topic: Topic) => SubscriptionState,
  ): void;
  /** The chats to subscribe to; null: not known yet, so subscriptions that exist stay. */
  wantedTopics(): WantedSubscription | null;
  /** While chats change their carrier, `setChannels` must be called every few seconds. */
  changesCarrier(): boolean;
  /** Takes a chat line that came as an event. */
  hear(channelId: string, event: unknown): void;
  /** Asks Twitch whether the accounts' tokens are still valid. */
  check(): Promise<void>;
  /** The same without waiting, and once for many calls in a minute. */
  checkSoon(): void;
  report(): PartReport;
  stop(): Promise<void>;
}

export const noChats: Chats = {
  setChannels: () => {},
  wantedTopics: () => new Map(),
  changesCarrier: () => false,
  hear: () => {},
  check: async () => {},
  checkSoon: () => {},
  report: () => ({ state: 'off', detail: 'TWITCH_BOT_LOGIN is not set' }),
  stop: async () => {},
};

type Options = Omit<ChatOptions, 'login' | 'isFirst'> & { logins: readonly string[] };

/** How long after the start IRC's chats are waited for at most: a hundred take a minute. System time. */
const JOINED_WITHIN_MS = 3 * minute;

/** Starts every chat account and distributes the channels among them. */
export function startChats(deps: BotDeps, { logins, ...options }: Options): Chats {
  const isFirst = firstTimes();
  const chats = logins.map((login) => startChat(deps, { ...options, isFirst, login }));
  // Moderator status is remembered across lost connections; otherwise channels would be left and joined again.
  const moderated = new Map(logins.map((login) => [login, new Set<string>()]));
  let plan: ChatPlan = noPlan;
  const isKnown = () => chats.every((chat) => chat.isKnown());
  const readers = () => chats.map((chat) => chat.readerId() ?? '').join(' ');
  const startedAtMs = Date.now();
  let checkedAtMs = 0;
  let hasJoined = false;
  /** The accounts that could read by events when the chats were last planned. */
  let plannedReaders = '';

  const updateModerated = (rooms: readonly ChatRoom[]) => {
    const accounts = new Map(chats.map((chat) => [chat.login, chat]));
    for (const { channelId, login } of rooms) {
      const account = plan.irc.get(login) ?? plan.byEvents.get(channelId)?.account ?? '';
      const is = accounts.get(account)?.isModerator(login) ?? null;
      if (is === true) moderated.get(account)?.add(login);
      if (is === false) moderated.get(account)?.delete(login);
    }
  };

  const check = async (): Promise<void> => {
    checkedAtMs = Date.now();
    await Promise.all(chats.map((chat) => chat.check()));
  };

  /** Streamers are told once it is known what the accounts are in the chats that they can join. */
  const mayBlame = (): boolean => {
    if (Date.now() - startedAtMs >= JOINED_WITHIN_MS || chats.every((chat) => chat.isInAll()))
      hasJoined = true;
    return hasJoined;
  };

  const recordFaults = (rooms: readonly ChatRoom[]) => {
    const mayTell = mayBlame();
    for (const { channelId, fault: known = null } of rooms) {
      const reason = plan.leftOut.get(channelId) ?? null;
      const fault = reason === 'unexplained' ? null : reason;
      const isOver = reason === 'unexplained' || !plan.leftOut.has(channelId);
      const isNews = isOver ? known === 'notAllowed' : fault !== null && known !== fault;
      if (isNews && (fault !== 'notAllowed' || mayTell))
        options.recordFault(channelId, fault).catch((error) => {
          deps.log.error({ err: error, channelId }, 'could not record what is the matter with a chat');
        });
    }
  };

  return {
    setChannels(rooms, stateOf) {
      updateModerated(rooms);
      const seats = chats.map((chat) => ({
        login: chat.login,
        readerId: chat.readerId(),
        isIn: chat.isIn,
        isModerator: (channel: string) => moderated.get(chat.login)?.has(channel) ?? false,
      }));
      const { carrier } = plan;
      const { maxChats } = options.pace;
      if (isKnown()) {
        plan = planChats(rooms, seats, plan, { stateOf, maxChats });
        plannedReaders = readers();
      } else plan = keepPlan(rooms, seats, plan, maxChats);
      if (plan.carrier !== carrier)
        deps.log.info({ channels: rooms.length, to: plan.carrier }, 'switching the chat carrier');
      for (const chat of chats)
        chat.setRooms(
          rooms.filter(({ login }) => plan.irc.get(login) === chat.login),
          [...plan.byEvents.values()].filter(({ account }) => account === chat.login),
        );
      if (isKnown()) recordFaults(rooms);
    },
    wantedTopics: () =>
      isKnown() ? new Map([...plan.byEvents].map(([channelId, { topic }]) => [channelId, [topic]])) : null,
    changesCarrier: () =>
      plan.isChanging ||
      chats.some((chat) => chat.isStarting()) ||
      (isKnown() && readers() !== plannedReaders),
    hear(channelId, event) {
      const account = plan.byEvents.get(channelId)?.account;
      chats.find(({ login }) => login === account)?.hear(channelId, event);
    },
    check,
    checkSoon() {
      if (Date.now() - checkedAtMs < minute) return;
      check().catch((error) => {
        deps.log.warn({ code: twitchFaultOf(error).code }, 'could not check a chat account');
      });
    },
    report() {
      const reports = chats.map((chat) => chat.report());
      const worst = reports.find(({ state }) => state !== 'ready') ?? reports[0] ?? noChats.report();
      const details = [
        ...new Set(reports.map(({ detail }) => detail).filter((detail) => detail !== undefined)),
        ...(isKnown() ? hints(plan) : []),
      ];
      const detail = details.join('; ');
      return { state: worst.state, ...(detail && { detail }) };
    },
    async stop() {
      await Promise.all(chats.map((chat) => chat.stop()));
    },
  };
}

/** What the operator or the streamers can do for chats that no account is in. */
function hints({ carrier, leftOut }: ChatPlan): string[] {
  const reasons = [...leftOut.values()];
  const refused = reasons.filter((reason) => reason === 'notAllowed' || reason === 'banned').length;
  const unexplained = reasons.filter((reason) => reason === 'unexplained').length;
  const waiting = leftOut.size - refused - unexplained;
  return [
    ...(carrier === 'irc' && waiting > 0
      ? [`no room for ${waiting} more: connect the chat account again, add one, or make one a moderator`]
      : []),
    ...(refused > 0
      ? [`${refused} chats do not let the bot in: their streamers must allow it or make it a moderator`]
      : []),
    ...(unexplained > 0
      ? [
          `Twitch refuses ${unexplained} chats though nothing is known to be missing: connect the chat account again`,
        ]
      : []),
  ];
}
