/** Keys are `errors.<noun>.<code>`: the code is the one that the domain answers with. */
export const errors = {
  botAway: {
    title: 'The bot process keeps failing',
    text: 'It watches chats and trades on Steam. Claims, deposits and returns wait, and watch time does not count meanwhile. No item is lost: time to claim is given back, and what was asked for is done later. It is started again at',
  },
  page: {
    notFoundTitle: 'Page not found',
    notFound: 'The address may be misspelled, or the page was removed.',
    forbiddenTitle: 'You cannot see this page',
    forbidden: 'You are signed in, but this page belongs to someone else.',
    failedTitle: 'Oops, something went wrong.',
    failed: 'The error is on our side. Your items have not moved. Try again in a moment.',
    badRequestTitle: 'We could not read this request',
    badRequest: 'Something is missing or malformed. Go back and send it again.',
    tooLargeTitle: 'The request is too large',
    tooLarge:
      'This is more than we accept at once. Sign in if you have not, or send less. Nothing was saved.',
    foreign: 'This request did not come from this site. Open the page here and send it again.',
    tooManyTitle: 'Too many attempts',
    tooManyFor_one: 'Too many attempts. Wait {{count}} minute, then try again.',
    tooManyFor_other: 'Too many attempts. Wait {{count}} minutes, then try again.',
    tooMany: 'Wait a moment, then try again.',
    unavailableTitle: 'Not available right now',
    unavailable: 'A service that this page needs did not answer. Your items have not moved.',
    code: 'If you write to us, include this code:',
    home: 'Go to the start page',
  },
  common: { unexpected: 'Oops, something went wrong.' },
  session: {
    required: 'You must be authorized to see this page.',
    badCredentials: 'Please check your email and password.',
  },
  user: { unverified: 'Your profile is not verified. Please check your mail for the verification link.' },
  tradeLink: {
    missing: 'You have not provided your trade link. Please set your trade link in your profile.',
  },
  account: {
    notConnected: 'Your account is not connected to your {{accountType}} account.',
    emailTaken: 'This address already has an account. Sign in instead.',
    verificationUnknown: 'This link is not valid. Request a new one.',
    verificationUsed: 'This link has already been used. If that was you, your email is verified.',
    verificationExpired: 'This link was valid for 24 hours. Request a new one.',
    disownLinkBad: 'This link works once, within 7 days. It has already been used, or it has expired.',
    frozen:
      'Your account is frozen, because you told us by the link in an email that somebody else used it. End the freeze first: its page is under Settings.',
    freezeChoice: 'Choose for each rule whether it goes on.',
    emailUnchanged: 'This is already your address.',
    alreadyVerified: 'Your email is already verified.',
    twitchUnknown: 'No account here is connected to this Twitch account.',
    twitchLinkedElsewhere:
      'This Twitch account is connected to another account here. Disconnect it there first.',
    otherTwitchLinked: 'You have connected another Twitch account. Disconnect it first.',
    twitchEmailMissing:
      'Your Twitch account has no verified email. Verify it on Twitch, or sign up with an email address.',
    twitchEmailTaken:
      'Your Twitch email already has an account here. Sign in with your password, then connect Twitch in your profile.',
    twitchNotLinked: 'Your account is not connected to your Twitch account.',
    passwordMissing: 'Twitch is your only way to sign in. Set a password first, then disconnect it.',
    steamLinkedElsewhere:
      'This Steam account is connected to another account here. Disconnect it there first.',
    otherSteamLinked: 'You have connected another Steam account. Disconnect it first.',
    tradeLinkMalformed:
      'This is not a Steam trade link. It begins with https://steamcommunity.com/tradeoffer/new/.',
    steamNotLinked: 'Your account is not connected to your Steam account.',
    tradeLinkNotYours: 'This trade link belongs to a different Steam account, not the one you connected.',
    tradeLinkDead: 'Steam says this trade link is no longer valid. Copy the current one from Steam.',
    passwordWrong: 'This is not your current password.',
    passwordCommon:
      'This password is easy to guess: many people use it, or it follows a simple pattern. Take a few words that have nothing to do with each other.',
    passwordPersonal:
      'This password is easy to guess: it is mostly your name, your address or the name of this site. Take a few words that have nothing to do with them.',
    addressWrong: 'This is not the address of your account.',
    tooManyTokens: 'You have reached the maximum number of tokens. Revoke one that you no longer need.',
    tokenUnknown: 'There is no such token. It may already have been revoked.',
    accessRequestUnknown:
      'No program waits with this code. Compare it with the program’s screen: a code is valid for 10 minutes.',
    extensionCodeUnknown: 'This code is not valid. A code works once, for 10 minutes. Get a new one.',
    sessionUnknown: 'This browser is already signed out.',
    transfersLive:
      'You still have an open trade offer. Wait until it ends or cancel it, then delete your account.',
    subscriptionLive:
      'Stripe has not confirmed that your subscription is cancelled, so your account was not deleted. Try again in a minute.',
    identityUnconfirmed:
      'Confirm who you are first: sign in on this site, or open /profile/confirm, and repeat this within ten minutes.',
    secondFactorNeeded: 'This account has a second factor: a code of its app, or a recovery code, is needed.',
    passkeyNeeded:
      'This account is protected by a passkey, which works in a browser only. Send one of its recovery codes instead.',
    userUnknown: 'No account here has this address.',
    signInExpired: 'This sign-in took longer than ten minutes, or has ended. Sign in again.',
    authenticatorOn: 'An authenticator app is already on.',
    authenticatorOff: 'The authenticator app is already off.',
    secondFactorOff: 'Two-factor authentication is off.',
    setupUnknown: 'This QR code is older than an hour. Get a new one.',
    secondFactorWrong:
      'This code is wrong or was already used. Wait for the next one, and check your phone’s clock.',
    codesExhausted_one:
      'Too many wrong codes were entered for this account, so codes of the app are refused for {{count}} more hour. A recovery code or a passkey works now.',
    codesExhausted_other:
      'Too many wrong codes were entered for this account, so codes of the app are refused for {{count}} more hours. A recovery code or a passkey works now.',
    passkeyRefused: 'This passkey was not accepted. Try again, or use another way.',
    passkeyKnown: 'This passkey has already been added.',
    passkeyUnknown: 'This passkey has already been removed.',
    tooManyPasskeys: 'You have 20 passkeys. Remove one first.',
    otherTwitchConfirmed: 'That was another Twitch account. Use the one that is connected to your account.',
    itemsHeld: 'Our bots still hold items of yours. Return them first, then delete your account.',
  },
  twitch: {
    missingPermissions: 'Your streaming integration is missing required permissions.',
    broken: 'There is a problem with your streaming account; unlink and link it again.',
    missing:
      'Twitch no longer shows this account: it is suspended or deleted. Rules on its channel wait until it is back.',
    points: 'First allow Keepsake to manage channel points: in your profile, under Twitch.',
    notConfigured: 'Sign-in with Twitch is not set up on this site.',
    notStartedHere: 'This sign-in did not start in this browser, or it took too long. Start again.',
    denied: 'You did not give permission on Twitch. Nothing has changed.',
    refused: 'Twitch rejected this sign-in. Start again.',
    unavailable: 'Twitch did not answer. Nothing has changed. Try again in a moment.',
  },
  steam: {
    notStartedHere: 'This sign-in did not start in this browser, or it took too long. Start again.',
    cancelled: 'You cancelled on Steam. Nothing has changed.',
    unavailable: 'Steam did not answer. Nothing has changed. Try again in a moment.',
  },
  trade: {
    malformed: 'We could not read this form. Go back and send it again.',
    nothingPicked: 'Pick at least one item.',
    tooManyItems: 'One trade offer holds at most 100 items. Pick fewer.',
    noBotAvailable: 'No bot can take these items right now. Your items have not moved. Try again later.',
    inventoryTooOften:
      'Your inventory was read from Steam very often just now. Wait a minute and try again. Your items have not moved.',
    inventoryIncomplete:
      'Steam has not shown all of your inventory yet. Try again in a minute. Your items have not moved.',
    inventoryBusy:
      'Too many inventories are being read from Steam right now. Try again in a minute. Your items have not moved.',
    botsFull:
      'Our bots do not have room for all of these items. Your items have not moved. Pick fewer, or first have some of the items we hold for you returned.',
    noStackRoom:
      'Each bot holds one stack of a type, because Steam may merge two. No other bot is free for these stacks. Your items have not moved.',
    stackPlacesTooOften:
      'You asked to deposit this type of stack several times within four hours, and each bot holds only one. Your items have not moved. Try again later.',
    depositTooLarge: 'A deposit holds at most 5,000 items. Pick fewer.',
    tooManyDeposits:
      'Too many deposits are in progress: two are allowed, or four once you have completed one. Accept or cancel one first.',
    depositsTooOften:
      'You have asked for many deposits within the last hour. Your items have not moved. Try again in an hour.',
    assetBusy: 'One of these items is already in an open trade offer.',
    assetMissing: 'Your inventory has changed: some of these items can no longer be deposited. Pick again.',
    itemUnavailable: 'Some of these items are no longer available. Check what is left and pick again.',
    inCooldown: '{{item}} is in cooldown until {{date}}. Until then it can be neither assigned nor returned.',
    steamChangedRecently:
      'You changed your Steam account recently. For 7 days after our email about it, items go back only to the account that deposited them and cannot be put on rules.',
    inventoryPrivate: 'Your Steam inventory is private. Make it public, then try again.',
  },
  rule: {
    noCondition: 'Set at least one condition.',
    lastStreamsTooFew:
      'Nobody can attend more streams than there are: ask for at most as many as the last ones that count.',
    paidDraw:
      'A random reward for a subscription or for channel points is a lottery in many countries, and Twitch does not allow it for channel points. Choose one reward, or remove that condition.',
    pointsElsewhere: 'Channel points work only on your own channel.',
    notAdmitted: 'You are not a guest on this channel. Its streamer can admit you in the channel settings.',
    channelUnavailable: 'The Twitch connection of this channel is broken. Its streamer has to connect again.',
    notRandom: 'This rule gives one reward, so there are no weights to set.',
    weight: 'A weight is a whole number from 1 to 1,000,000.',
    weightsDiffer: 'All items of one kind have the same weight. Give each kind one weight.',
    kindUnknown: 'This rule no longer has these items. Reload the page and try again.',
    closed: 'This rule is deleted. Its rewards can no longer be changed.',
    deleted: 'This rule is deleted.',
    noQuantity: 'Enter a quantity for at least one item.',
    notEnough: 'There are fewer of these items now. Nothing was changed. Check the quantities and try again.',
  },
  command: {
    name: 'Use 1 to 25 letters, digits, hyphens or underscores, without spaces.',
    shared: 'Two commands cannot have the same name.',
  },
  guest: {
    tooMany: 'You can exclude at most 200 names.',
    login: 'Enter a Twitch login, as in twitch.tv/login.',
    stranger: 'No account here is connected to this Twitch login.',
    own: 'This is your own channel. You can already run rules on it.',
  },
  reward: {
    timedOut: 'The time to claim this reward is over.',
    alreadyClaimed: 'You have already claimed this reward.',
    itemUnavailable: 'This item cannot be sent right now. The reward stays yours. Try again later.',
    claimFrozen:
      'The streamer has paused the rewards of this rule for now. Your reward stays yours, and you lose no time: you get it all back when they go on.',
    claimPaused:
      'You cancelled or declined several offers for this reward. Its page says when you can claim it again.',
    claimAccepted: 'The viewer has accepted the offer, so the claim cannot be stopped any more.',
    claimEnded: 'This promise has ended already.',
    steamIdUsed: 'A reward from this rule has already been claimed to this Steam account.',
  },
  transfer: { tooLate: 'It is too late to cancel this transfer.' },
  contact: {
    linkUnknown: 'This link is not valid. Write your message again.',
    linkUsed: 'This link has already been used: your message was sent.',
    linkExpired: 'This link was valid for 24 hours. Write your message again.',
  },
  captcha: { invalid: 'Invalid captcha.' },
  subscription: {
    cancelFailed: 'Error cancelling subscription.',
    createFailed: 'Error creating subscription.',
    limitReached: "You have reached your subscription's limits.",
    lifted: {
      claimLimit: 'Choose a larger viewer plan, or wait until they reset: the date is under Billing.',
      ruleLimit: 'Delete a rule, or choose a larger streamer plan.',
      rewardLimit: 'Choose a larger streamer plan, or wait until they reset: the date is under Billing.',
      otherChannelsLimit: 'Rules on other channels are part of Expert and Pro.',
    },
  },
  unavailable: {
    inventory: 'Inventory is unavailable',
    transfers: 'Transfers are unavailable',
    rules: 'Rules are unavailable',
    rewardHistory: 'Reward history is unavailable',
    givenRewards: 'The list of given rewards is unavailable',
    rewardProgress: 'Reward progress is unavailable',
    rewardClaiming: 'Reward claiming is unavailable',
    reason: 'We could not load this right now. Your items have not moved.',
    steam: 'Steam did not answer. Your items have not moved.',
    bot: 'Our bot does not answer, so we cannot ask Steam. Your items have not moved.',
  },
  field: {
    required: 'Fill this in.',
    name: 'Enter a name.',
    password: 'Choose a password.',
    email: 'Enter an email address, such as mira@example.org.',
    tooShort: 'Use at least {{min}} characters.',
    tooLong: 'Use at most {{max}} characters.',
    number: 'Enter a whole number.',
    range: 'Enter a number from {{min}} to {{max}}.',
    choice: 'Choose one of the options.',
    oneOf: 'Valid values: {{values}}.',
    invalid: 'Check what you entered.',
    hidden: 'This contains invisible characters, or some that turn the text around. Type it by hand.',
    accept: 'Accept the terms of service to continue.',
    passwordsDiffer: 'The passwords must match.',
  },
} as const;
