/** Facts that may come in another order than they usually do: by test file, the rarer order and the test that tries it. */
export const rarerOrders: Record<string, Record<string, string>> = {
  'bot/steam/reversed-unseen': {
    'a claim is reversed before it was seen accepted':
      'A claim that was reversed before it was seen accepted is delivered and reversed: %s',
    'a return is reversed before it was seen accepted':
      'A return that was reversed before it was seen accepted puts its item back into custody',
  },
  'bot/steam/apply-offer': {
    'a deposit is reversed before it was seen accepted':
      'A deposit that was accepted and reversed before it was seen has moved nothing',
    'a trade is rolled back before it was seen in escrow':
      'An accepted offer whose trade failed has moved nothing',
    'the items of a deposit arrive before their new ids are told':
      'A deposit of which Steam tells one new id of two is found whole in the inventory',
  },
  'bot/steam/reversed-deposit': {
    'an item is promised before the reversal of its deposit is seen':
      'A promise of an item whose deposit was reversed unseen ends at the restart: %s, new ids %s',
  },
  'domain/transfer/deposit-reversed': {
    'an item’s deposit is reversed before its offer has ended':
      'An offer that is on Steam is taken back, and its end changes nothing more',
  },
  'domain/transfer/deposit': {
    'an item is delivered before its own deposit is final':
      'A deposit that becomes final later leaves an item alone that was delivered meanwhile',
    'a batch ends before one of its offers was stored as sent':
      'What is being sent when its batch ends is not sent again, and is cancelled once it is on Steam',
  },
  'bot/steam/steam-session': {
    'a web session is there before its new refresh token is stored':
      'A session is not used before its new refresh token is stored',
  },
  'bot/steam/lost-answers': {
    'an offer is accepted before it was stored as sent':
      'A deposit with a lost answer that was accepted meanwhile is found as accepted',
  },
  'domain/transfer/sending': {
    'an offer is answered before it was stored as sent':
      'An uncertain sending that Steam lists after all is adopted, whatever its state',
    'an offer is answered before its confirmation was stored':
      'A confirmation that was not reported is made up for',
    'a claim is cancelled before its offer was stored as sent':
      'A transfer whose cancellation was requested during sending is not sent a second time',
  },
  'domain/custody/reconcile': {
    'an asset arrives before its deposit is seen accepted':
      'An asset that an open deposit may have brought is nobody else’s',
    'an asset is back before its reversal is seen':
      'An asset that a reversal may have brought back is nobody else’s until the trade is final',
    'an inventory is read before a move and stored after it':
      'Items that moved after the inventory was read are not judged by it',
  },
  'domain/custody/adopt-asset': {
    'the operator finds an asset before its reversal is seen':
      'An asset that came back under its first id is left to the reversal',
  },
  'bot/steam/worker-rounds': {
    'a reversal is listed before its asset is back': 'A reversal waits until the bot has the asset again',
  },
  'domain/mixed-lists/items.property': {
    'an asset is unknown before it becomes an item':
      'An inventory’s unknown assets are stored, kept and dropped one by one',
  },
  'domain/custody/audit-custody': {
    'an item differs from the ledger before its offer has ended':
      'An item that differs while it is in an offer becomes missing when the offer ends',
  },
  'bot/steam/resolved-deposit': {
    'a trade is booked before its id is known':
      'A reversal of a deposit that the operator resolved is found by the trade of its offer',
  },
  'bot/steam/cancel-strays': {
    'a poll lists an offer before its sending was answered':
      'An offer whose sending has no answer yet is left to those who look for it',
  },
  'bot/steam/offer-rounds': {
    'an offer is answered before it is cancelled': 'that comes too late finds the offer as it has become',
  },
  'domain/claim/stop-claim': {
    'an offer is accepted before its owner’s stop reaches it':
      'that was accepted first stands: the viewer has the item, and the owner is told',
  },
  'domain/freeze/freeze': {
    'an offer is accepted before the freeze of its rule reaches it':
      'an offer that was accepted first stands',
  },
  'domain/claim/links-come-and-go': {
    'a reward is promised before its viewer has connected Steam':
      'A promise that came before its viewer connected Steam waits for it, and goes there',
    'a Steam account or trade link is removed before the claim':
      'A Steam account or trade link that is gone by the claim is asked for again, and the promise stays',
    'another Steam account is connected before a claim is sent':
      'A claim goes to the Steam account that it was made with, though another is connected before it is sent',
    'Twitch is disconnected before the claim':
      'Who disconnected Twitch before claiming still claims, and nobody else is promised it',
  },
  'domain/account/rules-follow-links': {
    'watch time is counted before its viewer has an account':
      'Earlier watch time counts once Twitch is linked',
    'Twitch is connected before the address is verified':
      'For a Twitch account linked before verification was required, earlier watch time counts once it is verified',
  },
  'domain/draw/waiting-list': {
    'a viewer waits before their Twitch account becomes the rule owner’s':
      'Who qualified before their Twitch account was the rule owner’s is passed over',
  },
  'domain/audience/guests': {
    'a guest is removed before the broadcaster’s link is back':
      'are not resumed with the link if the guest was removed meanwhile, and then say why',
  },
  'bot/twitch/grants': {
    'a grant is renewed before the fault of the last one is known':
      'is not given up for the fault of the one before',
  },
  'domain/account/chat-tokens': {
    'a chat account’s grant is renewed before the fault of the last one is known':
      'A grant that was renewed meanwhile stays as it is',
  },
  'domain/account/twitch': {
    'a streamer signs in before the end of their grant is noticed':
      'A streamer who signed in since the last check is not signed out for an older grant',
  },
  'bot/twitch/late-events': {
    'the end of a stream is heard before its beginning':
      'A beginning that is heard after its end does not put the channel on air',
  },
  'bot/twitch/unseen-streams': {
    'the next stream begins before the end of the last is told':
      'The end of an earlier stream, told after the next one began, changes nothing',
    'a stream has ended before a list has ever shown it':
      'at all, though an event said that it began, is a gap until an event says that it ended',
  },
  'bot/twitch/events': {
    'an event is heard before the list of streams shows it':
      'report going live and offline at once, whatever a lagging poll says',
  },
  'domain/audience/accrue-watch-time': {
    'chatters are read before their stream is known':
      'Nothing counts for a channel that is unknown, or live with another stream',
    'a stream ends before its last chatters were read':
      'The first reading after the end counts until the end, and the next one nothing',
    'the next stream begins before the last chatters of the one before were read':
      'A new stream before the last reading of the old one leaves a gap, whether or not the end was reported',
    'chatters are credited before those of an earlier reading':
      'A reading from before the last one credits nothing and moves nothing back',
  },
  'domain/channel/record-follow-list': {
    'a follow is heard before the page of an older list':
      'A new follow counts from its own time, whether %i steps of a list came before it',
  },
  'bot/twitch/follow-lists': {
    'a follow is heard before the end of a list without it':
      'Whoever is missing on the complete list does not follow, unless they were reported meanwhile',
  },
  'bot/twitch/subscribers-meanwhile': {
    'a subscription’s end is heard before the list that still has it':
      'An end that is heard before the list that still has the subscription ends it, and a beginning stays',
  },
  'domain/channel/subscribers': {
    'the next tier is heard of before the end of the last one':
      'about the end of a tier replaced by another has no effect, in any order',
  },
  'bot/twitch/event-carriers': {
    'an event is heard before an older one about the same viewer':
      'that arrive out of order do not undo newer ones',
  },
  'domain/redemption/record-redemption': {
    'a poll finds a redemption before its event is heard':
      'is decided once, however often an event or a list reports it',
  },
  'domain/redemption/redemption-end': {
    'a refund is heard of before its redemption':
      'points refunded before the redemption was recorded promise nothing',
    'points are fulfilled before their redemption is heard of':
      'points fulfilled before the redemption was recorded get a promise like any other',
    'a redemption is listed as open after its end was heard':
      'an end is final, whatever is reported afterwards',
    'a delivery is reversed before its points were fulfilled':
      'a delivery reversed before Twitch was called refunds them; afterwards it is too late',
    'an offer is accepted before the refund of its points reaches it':
      'an offer accepted first belongs to the viewer, and the streamer gets one mail',
    'an end is assumed before Twitch lists the redemption again':
      'is undone once Twitch lists it in the queue, and settled again',
    'a custom reward is deleted by hand before its redemptions ended':
      'deleting the custom reward fulfils its open redemptions, as on Twitch',
  },
  'bot/twitch/redemption-order': {
    'a redemption is heard of before an older one':
      'one from an event waits until the queue is read, which contained an older one',
  },
  'bot/twitch/custom-rewards': {
    'a custom reward is on Twitch before its id is stored':
      'is hidden until its id is stored, so that no unknown redemption is possible',
    'a rule closes before the creation of its custom reward was answered':
      'created for a rule that closed meanwhile is deleted',
  },
  'bot/twitch/closed-custom-reward': {
    'a rule closes before its custom reward was created':
      'A custom reward that was never created is not created for a rule that closed meanwhile',
    'a rule closes before a redemption of it is heard of':
      'It stays hidden as long as points are open, because Twitch fulfils what is open when it is deleted',
  },
  'domain/channel/public-channel': {
    'a login passes on before its owner’s new name is known':
      'A login that has passed on belongs to the channel seen last',
  },
  'bot/twitch/chat-session': {
    'a command comes before its chat is known to be somebody else’s':
      'A command in the chat of somebody who took over the login is ignored, and the chat is left',
  },
  'bot/twitch/chat-faults': {
    'a promise is to be announced before its chat takes lines':
      'Announcements for chats that take no lines wait where they are',
  },
  'bot/twitch/event-twice': {
    'a message comes again before it was marked as handled': '%s (%i)',
  },
  'domain/subscription/transition': {
    'a subscription’s change or end is heard before its beginning':
      'Any order, loss and duplication of a life’s events ends as one fetch',
    'a subscription has ended before its payment is heard of':
      'A subscription that has ended before its payment was heard of gives what is paid for, and begins with that',
    'a fetch is answered before one that began earlier':
      'Of two fetches the one that began later wins, whichever answer comes first',
  },
  'billing/event-orders': {
    'refunds, disputes and failures are heard in reverse':
      'However webhooks come, access never ends before paid-until, and after a round outlasts it by no more than grace',
  },
  'domain/subscription/checkout': {
    'a checkout is closed here before its payment comes':
      'A payment that came after its checkout was closed here uses up the trial it offered',
    'a checkout is paid before its end is heard of':
      'A checkout that was closed takes no session, and gives the trial back unless it is used up',
  },
  'billing/trial-reminder': {
    'a trial is cancelled before its reminder comes': 'A trial that was cancelled is not mentioned again',
  },
  'billing/trouble': {
    'an account is deleted before its payment is heard of':
      'Somebody who paid for an account that was deleted meanwhile gets the money back',
  },
  'billing/acts': {
    'an invoice is paid before its subscription could be cancelled':
      'What is paid before its subscription could be cancelled is not cancelled',
  },
  'billing/reversals': {
    'a duplicate is paid back before it is cancelled':
      'A duplicate that was paid back and not cancelled is cancelled later, and notifies nobody',
  },
  'domain/subscription/billing-acts': {
    'an act is done by another before its own answer comes':
      'Of two that tried the same, the second changes nothing',
  },
  'domain/reward/claim-window': {
    'a window ends before its offer does': 'A claimed reward does not expire while its offer is running',
    'an outage begins before the promise that it delays':
      'A promise that was made during an outage gets back what it lost, and no more',
  },
  'domain/reward/extend-in-slices': {
    'windows run out before their outage was added to them':
      'A window that is still to be extended does not time out',
  },
  'domain/view/prepare-mail': {
    'a promise ends before its mail is sent':
      'A promise that ended before its mail could be sent is not announced any more',
  },
  'domain/outbox/follow-events': {
    'an event is committed before one with an earlier id':
      'An event committed late is reported once, between polls and during a burst',
  },
  'domain/invariants': {
    'an entry of the ledger has an earlier time than the one before it':
      'The ledger leads to each holder even if a process that waited for another wrote an earlier time',
  },
  'domain/rule/pool': {
    'a rule closes before the rewards that were sent to it are attached':
      'A rule that closes while rewards are attached to it keeps none of them',
  },
  'domain/item/traits': {
    'a reward ends before the kind of its item is known':
      'What is learned of a piece moves its ended rewards to its kind, and no others',
  },
  'domain/item/steam-change': {
    'another Steam account is connected long before its owner is told':
      'Items wait for seven days after the notice was sent, not after the change',
  },
};

/** The tests in which a report of Twitch or Stripe comes out of order. */
export const reportsOutOfOrder: Record<string, string> = {
  'stream.online': 'A beginning that is heard after its end does not put the channel on air',
  'stream.offline': 'A beginning that is heard after its end does not put the channel on air',
  'channel.follow': 'A new follow counts from its own time, whether %i steps of a list came before it',
  'channel.subscribe':
    'An end that is heard before the list that still has the subscription ends it, and a beginning stays',
  'channel.subscription.end':
    'An end that is heard before the list that still has the subscription ends it, and a beginning stays',
  'channel.subscription.message': 'about the end of a tier replaced by another has no effect, in any order',
  'channel.channel_points_custom_reward_redemption.add':
    'is decided once, however often an event or a list reports it',
  'channel.channel_points_custom_reward_redemption.update':
    'points refunded before the redemption was recorded promise nothing',
  'customer.subscription.created': 'Any order, loss and duplication of a life’s events ends as one fetch',
  'customer.subscription.updated': 'Any order, loss and duplication of a life’s events ends as one fetch',
  'customer.subscription.deleted': 'Any order, loss and duplication of a life’s events ends as one fetch',
  'invoice.paid':
    'A subscription that has ended before its payment was heard of gives what is paid for, and begins with that',
  'invoice.payment_failed':
    'However webhooks come, access never ends before paid-until, and after a round outlasts it by no more than grace',
  'charge.refunded':
    'However webhooks come, access never ends before paid-until, and after a round outlasts it by no more than grace',
  'charge.dispute.created':
    'However webhooks come, access never ends before paid-until, and after a round outlasts it by no more than grace',
  'charge.dispute.updated':
    'However webhooks come, access never ends before paid-until, and after a round outlasts it by no more than grace',
  'charge.dispute.closed':
    'However webhooks come, access never ends before paid-until, and after a round outlasts it by no more than grace',
  'checkout.session.completed':
    'A payment that came after its checkout was closed here uses up the trial it offered',
  'checkout.session.expired':
    'A checkout that was closed takes no session, and gives the trial back unless it is used up',
  'customer.subscription.trial_will_end': 'A trial that was cancelled is not mentioned again',
};
