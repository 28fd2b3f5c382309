/** Descriptions of the API’s calls, by name. The OpenAPI document and the page about the API show it. */
export const apiCalls = {
  getUser: 'The signed-in user, with connected accounts.',
  listLinkedAccounts: 'Your connected Steam and Twitch accounts.',
  unlinkTwitch:
    'Disconnects Twitch: your rules pause, and promised rewards can still be claimed. Custom rewards are turned off on Twitch first; meta.custom_rewards_off is false if Twitch did not answer, and you have to turn them off there. Needs a session that was opened, or confirmed, within the last ten minutes: otherwise the answer is identityUnconfirmed, and its meta.confirm names the call that confirms it.',
  unlinkSteam:
    'Disconnects Steam: items can no longer be returned until it is connected again. Needs a session that was opened, or confirmed, within the last ten minutes: otherwise the answer is identityUnconfirmed, and its meta.confirm names the call that confirms it.',
  setSendDelay:
    'Chooses how many hours after a promise an item is sent at the earliest, for rules that are opened from now on. A longer delay is in force at once. A shorter one needs a session that was opened, or confirmed, within the last ten minutes, is mailed to you, and is in force when the present delay has passed.',
  setTradeLink:
    'Sets your trade link. Replacing another one needs a session that was opened, or confirmed, within the last ten minutes. meta.hold_days is how long Steam would hold items that you give, such as a deposit, if Steam answered; what you are given is not held for it.',
  resendVerification: 'Sends the verification email again.',
  listPlans:
    'The plans that this instance sells, with their prices and limits. On a free instance everybody has one of each product, for nothing.',
  listCharges:
    'What you were charged, the newest first, each with what it bought and what became of it. It is read from Stripe.',
  listSubscriptions: 'Your plan of each product, until when, and what you have used of its limits.',
  startCheckout:
    'Buys a plan: answers the page at Stripe where it is paid. Repeating it answers the same page; another plan closes the page that was open. The plan is among your subscriptions once Stripe has reported the payment.',
  openBillingPortal:
    'Answers the page at Stripe for cards, invoices and the address. It opens for whoever has the link.',
  previewPlanChange:
    'Tells what a change to this plan would cost and when it would begin, without changing anything.',
  changePlan:
    'Changes to another plan, for exactly the amount_due and proration_date of a preview of the last 15 minutes; neither for a smaller plan that begins later. If the bank asks, meta.confirm_url is where the charge is confirmed, and the plan stays until then. A plan that is there already charges nothing.',
  cancelSubscription:
    'Cancels a plan: it goes on until what was paid for ends. One whose present period is not paid for ends at once. Cancelling twice answers the same.',
  resumeSubscription:
    'Takes back a cancellation, or a smaller plan that has not begun. Repeating it answers the same.',
  listChannels: 'Channels on which rewards can be earned now: those online first, then by name.',
  getChannelPage: 'What the public page of a channel shows, by its login on Twitch. Anybody may read it.',
  listNotifications:
    'Recent changes, oldest first. Continue from meta.cursor later; events of the last few seconds are then repeated under the same id.',
  streamNotifications:
    'The same changes as a live stream (text/event-stream). It ends with the session or token; an account can have 10 open at once, and a network address 200.',
  getDashboard:
    'Your metrics as a streamer over the last 7, 30 or 90 days: rewards by status, and the days of your own channel.',
  getProof:
    'What a rule with random rewards has published about its seed; the id is the rule’s. Anyone can read it.',
  listDraws: 'The draws of a rule, oldest first, each with the list it chose from. Anyone can read them.',
  listRaffles: 'Your raffles in chat, newest first.',
  prepareRaffle:
    'Prepares a raffle on your channel: its items are set aside until it is over. Everybody may enter who meets the conditions that you set; they are checked at the entry and again at the draw. Entering is always free. A channel has one raffle at a time.',
  getRaffle: 'One of your raffles. Once it was started, /raffle/{id} is its public page.',
  startRaffle:
    'Starts a prepared raffle, for the given minutes or for those that it was prepared with. Its terms are fixed and published now. Starting a running one again changes nothing.',
  drawRaffle:
    'Ends the entries of a running raffle now, or a minute after its start if that is later. Its list is closed and announced in chat within seconds, and drawn after that. Calling it again changes nothing.',
  cancelRaffle:
    'Cancels a raffle while entries can come, and gives its items back. Once the list is closed it is refused. Cancelling twice changes nothing.',
  listRaffleEntries:
    'The entries of a raffle that was started, in their order, with their places after the draw. Anyone can read them.',
  setWeights:
    'Sets the weights of kinds on a rule with random rewards, for later draws. Kinds that are not listed keep their weight.',
  register: 'Signs up with email and password, and signs in. A link in an email verifies the address.',
  verifyEmail:
    'Takes the token of the link in a verification mail, once and within 24 hours. GET /email/verify?token=… is what the mail links to: a page with a button, which changes nothing before it is pressed, because mail scanners open links as well. A session of that account goes on under a fresh cookie.',
  requestPasswordReset:
    'Sends an email with a link to set a new password. The answer is the same for an unknown address.',
  resetPassword:
    'Sets a password with the token from the email, once and within an hour, and ends every session, API token and code from /extension/code. Also verifies the address.',
  listHostChannels: 'Other channels on which you can run rules.',
  listGuests: 'Streamers who can run rules on your channel.',
  admitGuest:
    'Lets a streamer run rules on your channel, by their Twitch login. Admitting twice changes nothing.',
  dismissGuest: 'Removes a guest. Their rules on your channel pause; promised rewards can still be claimed.',
  confirmIdentity:
    'Confirms who uses this session, by password or, where there is a second factor, by code: a code of its app, or a recovery code. For ten minutes calls that answer identityUnconfirmed are then allowed. The session goes on under a fresh cookie, and the old one ends. A token cannot be confirmed: POST /api/v1/login opens a session that is. An account without a password confirms by Twitch, on /profile/confirm; so do passkeys.',
  updateUser:
    'Changes your name, settings, address or password; the last two need current_password and, where there is a second factor or no password yet, a session that was confirmed within ten minutes. A new password ends your other sessions, links in mails and codes of /extension/code; API tokens stay until you revoke them. A new address counts when the link mailed to it is confirmed; your present address is told at once, and the answer is the same for an address that has an account.',
  sendMessage:
    'Writes to the operator of this site. Without a captcha and without a verified account a link is mailed to the address, and the message is sent when it is confirmed on the page that the link opens.',
  listRewardProgress:
    'Your progress under rules that have not promised you a reward yet, closest to being met first.',
  listRewards: 'Rewards you can claim or have claimed but not received yet, latest promise first.',
  getReward: 'One of your rewards.',
  listRewardHistory: 'Rewards you received, and those that were recalled, latest promise first.',
  listGivenRewards:
    'Who got what by all of your rules, latest promise first. `search` looks for viewers, items, rules and numbers of trade offers. A page may be short, or empty, and still have a next one.',
  stopClaim:
    'Stops what a viewer was promised by a rule of yours, until its trade offer is accepted: at once if no offer is on Steam, otherwise as soon as Steam confirms that it is cancelled. The viewer reads the reason, and the channel’s page and the proof of a draw count it for good. Stopping twice answers the same.',
  claimReward:
    'Claims a promised reward: a bot sends it to your trade link. Claiming twice answers the same.',
  listRules: 'Your rules, newest first.',
  createRule:
    'Opens a rule on your channel, or on channel_id if its broadcaster has admitted you. Set at least one condition. With items it opens with these rewards, or not at all.',
  tryRule: 'Tries a rule on the viewers of the last 30 days, without saving it.',
  getRule: 'One of your rules.',
  closeRule:
    'Deletes a rule. Its free items become available again; promised rewards can still be claimed. Its state is `closed` then. The last of your rules, and the third within an hour, need a session that was opened, or confirmed, within the last ten minutes.',
  pauseRule:
    'Pauses a rule for 30 minutes, or with until_resumed until you resume it. Nothing is promised meanwhile; progress is kept, and promised rewards can be claimed. Pausing again sets the end anew.',
  resumeRule:
    'Ends your pause of a rule, and serves whoever met it meanwhile. Another reason may keep it paused.',
  listCorrections:
    'The corrections of one of your rules, latest first, with that by which it took another one’s place or lost its own.',
  previewCorrection:
    'Says what a correction would do, without making it: `mode` is `correct` where the rule changes in place, and `succeed` where a harder rule would take its place, because it has promised rewards. What is left out of the body stays as it is.',
  correctRule:
    'Makes a correction. Repeat the mode, newly and leaving of its preview: if they differ by now, nothing is changed and the answer is recounted. A harder rule closes this one, and the answer is the new rule; with again, whoever was promised a reward can be promised another.',
  listRuleRewards: 'The rewards of one of your rules, by kind of item.',
  addRewards:
    'Adds items to a rule as rewards. If there are too few of one kind, nothing is added. On a rule with random rewards, weight sets how likely a kind is.',
  removeRewards: 'Removes free rewards from a rule. Promised rewards stay.',
  getCsrfCookie: 'Sets the cookie XSRF-TOKEN, whose value the next call repeats as X-XSRF-TOKEN.',
  signIn:
    'Signs in with email and password, and with code where the account has a second factor: a code of its app, or a recovery code. Without one the answer is secondFactorNeeded. Passkeys work on the site only. The session ends after 30 days without a visit, and 180 days after the sign-in at the latest.',
  signOut: 'Ends the session, or revokes the token that the call was made with.',
  startTwitchSignIn:
    'Starts signing up or in with Twitch, or connecting Twitch if you are signed in with a verified email. Open the returned address in the same browser; Twitch sends it back here.',
  redeemExtensionCode: 'Exchanges a code from /extension/code, once and within 10 minutes, for an API token.',
  listItems: 'The items we hold for you, by kind; meta.totals has the totals.',
  listItemPieces: 'Your available items that differ in wear, piece by piece: each can be picked by its wear.',
  listInventory:
    'Your Steam inventory by kind, as Steam shows it now; with filter[each]=true, only what can be deposited and has a wear, piece by piece. Rust (252490), Dota 2 (570) and Steam items (753) are read with filter[app_id] only.',
  depositItems: 'Deposits items from your Steam inventory: a bot sends you a trade offer for them.',
  returnItems: 'Returns items to you: one trade offer from each bot that holds some of them.',
  listTransfers: 'Your transfers, and claims on your rules, newest first.',
  getTransfer: 'One of your transfers, or a claim on your rules.',
  listOpenOffers:
    'The trade offers that wait for you on Steam now, to compare with its pages; meta.steam_id is your connected account, and meta.bots are the accounts that offers of this instance come from.',
  cancelTransfer:
    'Cancels one of your transfers: at once if it is queued, otherwise as soon as Steam confirms.',
  getOpenApi: 'This API as an OpenAPI 3.1 document.',
} as const;
