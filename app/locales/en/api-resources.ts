/** Descriptions of the API’s resources, by type. */
export const apiResources = {
  rules:
    'A rule of yours: what viewers have to do, and how many of its rewards are in each state. Of the reserved ones, `preparing` have no offer on Steam yet. While `paused_since` is set, you paused it: until `resumes_at`, or until you resume it. While `frozen_since` is set, it gives nothing in any state, until you end the freeze on the site.',
  'rule-rewards':
    'The rewards of one rule that are of one kind of item, by state. Of the reserved ones, `preparing` have no offer on Steam yet.',
  'rule-corrections':
    'A correction of a rule, with the whole rule before and after it. With `succession`, one of two rules took the place of the other.',
  'rule-correction-previews':
    'What a correction would do, counted at `counted_at`: viewers who would newly qualify, who are in line before them, who are in line and would leave it, and who were promised a reward already.',
  items: 'Items of one kind that we hold for you.',
  'item-pieces':
    'An available item that we hold for you and that Steam tells apart from others of its kind by its wear.',
  'inventory-items': 'Items of one kind in your Steam inventory, and how many of them can be deposited now.',
  transfers: 'A trade offer and its steps. Only the receiver of the offer gets its security code.',
  'open-offers':
    'A trade offer that waits for you on Steam, with what its page has to show: sender, message code and items, under the ids that they have until the exchange.',
  'transfer-items': 'The items of one kind in a transfer.',
  'reward-progress': 'Your progress under a rule; its id is the rule’s.',
  rewards:
    'A reward that you were promised. While it is reserved, the state of its offer says more: `queued`, `sending`, `uncertain` and `unconfirmed` while the offer is prepared, `sent` while it waits for you on Steam, `escrowed` while Steam holds the trade.',
  'given-rewards':
    'A reward of your rules that a viewer was promised, with the dates of its way. `claimed` means that its offer is being prepared.',
  proofs:
    'What a rule with random rewards has published; its id is the rule’s. The seed is null until the rule is closed.',
  draws: 'One draw, with the list it chose from. Its fingerprint changes if any of it changes.',
  raffles:
    'A raffle in chat, as its streamer sees it. It is `prepared`, `running` while it takes entries, `sealed` once its list is closed, `drawn` while its places are served, and then `over`.',
  'raffle-entries':
    'An entry of a raffle. `held` means that a winner without an account has time to make one; `passed` says why a place got nothing.',
  'dry-runs':
    'How many viewers of the last days would have met a rule. If a list is unread, the numbers are upper bounds.',
  notifications:
    'A change to something of yours: its kind and id. With `rule.changed` the id can be that of a raffle. Read the details from its own address.',
  users: 'An account, as its owner sees it.',
  'steam-accounts': 'A connected Steam account; its id is the SteamID64.',
  'twitch-accounts': 'A connected Twitch account; its id is the numeric Twitch id.',
  'twitch-sign-ins': 'A started sign-in with Twitch: open this address.',
  'api-tokens': 'An API token. Its text is returned only once, when it is created.',
  plans:
    'A plan of this instance, by product, tier and period. Prices are in minor units of the currency; a limit that is null is none.',
  charges:
    'What you were charged for plans, or will be: one for each invoice at Stripe. Amounts are in minor units of the currency.',
  checkouts:
    'A page at Stripe where a plan is bought. Until it is paid or expires, the same call answers the same page.',
  'billing-portals': 'A page at Stripe for cards, invoices and the address, for a short time.',
  'plan-changes':
    'What a change of plan would cost, and when it would begin: `now` for what is charged at once, `later` for a smaller plan, which begins when what was paid for ends.',
  subscriptions:
    'Your plan of one product, with its usage. Without a subscription the tier is `free`; on an instance without plans it is `pro`, and nothing is charged. `covered`: the subscription has ended, and what was paid for goes on until `ends_at`.',
  channels: 'A Twitch channel; its id is the broadcaster’s numeric Twitch id.',
  'channel-listings':
    'A channel on which rewards can be earned now; its id is the broadcaster’s numeric Twitch id.',
  dashboards: 'A streamer’s metrics over a period of UTC days that ends with today; its id is the user’s.',
  'channel-pages': 'What anybody may know of a channel; its id is the broadcaster’s numeric Twitch id.',
  'channel-guests': 'A streamer who can run rules on your channel; the id is that of their account.',
} as const;
