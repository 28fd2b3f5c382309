/** An answer of Twitch's as people met it: with a status of 200, and not the whole truth. */
export interface OddAnswer {
  path: string;
  /** The report or documentation that shows it. */
  source: string;
  /** Returns the body that is sent instead. */
  change(body: Listing): Listing;
}

export interface Listing {
  data: Record<string, unknown>[];
  total?: number;
  pagination?: { cursor?: string };
}

/** The first rows of a list, without a cursor; the number stays. */
const firstHalf = ({ data, ...rest }: Listing): Listing => ({
  ...rest,
  data: data.slice(0, Math.ceil(data.length / 2)),
  pagination: {},
});
/** No rows, and a cursor that leads on. */
const emptyPage = (body: Listing): Listing => ({
  ...body,
  data: [],
  pagination: { cursor: body.pagination?.cursor ?? Buffer.from('0').toString('base64url') },
});
const nothing = (body: Listing): Listing => ({ ...body, data: [], pagination: {} });
/** The number counts suspended accounts too. */
const withSuspended = (body: Listing): Listing => ({ ...body, total: (body.total ?? 0) + 1 });

export const oddAnswers = {
  shortChatters: {
    path: '/mock/chat/chatters',
    source: 'twitchdev/issues 692: a total of two, one row and no cursor',
    change: firstHalf,
  },
  emptyPageOfChatters: {
    path: '/mock/chat/chatters',
    source: 'twitchdev/issues 240: an empty page with a cursor',
    change: emptyPage,
  },
  shortFollowers: {
    path: '/mock/channels/followers',
    source: 'twitchdev/issues 199: a page shorter than the list, and no cursor',
    change: firstHalf,
  },
  emptyPageOfFollowers: {
    path: '/mock/channels/followers',
    source: 'twitchdev/issues 924: an empty page with a cursor',
    change: emptyPage,
  },
  suspendedFollowers: {
    path: '/mock/channels/followers',
    source: 'justintv/Twitch-API issue 684: the total counts suspended accounts, which are not listed',
    change: withSuspended,
  },
  unlistedFollowers: {
    path: '/mock/channels/followers',
    source: 'justintv/Twitch-API issue 314: a list leaves followers out for some readings',
    change: (body) => ({ ...nothing(body), total: 0 }),
  },
  shortSubscribers: {
    path: '/mock/subscriptions',
    source: 'twitchdev/issues 199: a page shorter than the list, and no cursor',
    change: firstHalf,
  },
  emptyPageOfSubscribers: {
    path: '/mock/subscriptions',
    source: 'twitchdev/issues 240: an empty page with a cursor',
    change: emptyPage,
  },
  unlistedSubscribers: {
    path: '/mock/subscriptions',
    source: 'twitchdev/issues 184 and 187: recipients of gifts are missing in list and total',
    change: (body) => ({ ...nothing(body), total: 0 }),
  },
  noStreams: {
    path: '/mock/streams',
    source: 'twitchdev/issues 1103: a live channel is not listed',
    change: nothing,
  },
  streamsWithoutType: {
    path: '/mock/streams',
    source: 'reference of Get Streams: "if an error occurs, this field is set to an empty string"',
    change: ({ data, ...rest }) => ({ ...rest, data: data.map((one) => ({ ...one, type: '' })) }),
  },
  noCustomRewards: {
    path: '/mock/channel_points/custom_rewards',
    // Our own doubt: that a channel with some gets this answer too is in no public report that we found.
    source:
      'reference of Get Custom Reward: "If the broadcaster hasn\'t created custom rewards, the list is empty"',
    change: nothing,
  },
  shardsBeyondSize: {
    path: '/mock/eventsub/conduits/shards',
    source: 'twitchdev/issues 914: shards beyond the size of the conduit stay listed',
    change: ({ data, ...rest }) => ({
      ...rest,
      data: [
        ...data,
        {
          id: '7',
          status: 'enabled',
          transport: { method: 'websocket', session_id: 'a-session-before-the-resize' },
        },
      ],
    }),
  },
} as const satisfies Record<string, OddAnswer>;
export type OddAnswerName = keyof typeof oddAnswers;
