export interface KnownBot {
  /** The account's login at the list's date. */
  login: string;
  /** The account's Twitch id; null if it is not in the sources, so that Twitch is asked who has the login. */
  twitchId: string | null;
}

/**
 * Loyalty, moderation and lurker bots that are listed in many chats and do not watch.
 *
 * As of 2026-11-23. The logins come from our own older list and from sogebot/sogeBot
 * (`assets/globalIgnoreList.json`). The ids are named in the sources of public chat bots, about half of them
 * in two or more; none was checked with Twitch.
 */
export const knownBots: readonly KnownBot[] = [
  ...withIds({
    donationalerts_: '496585194',
    fossabot: '237719657',
    frostytoolsdotcom: '955237329',
    moobot: '1564983',
    nightbot: '19264788',
    sery_bot: '402337290',
    soundalerts: '216527497',
    streamelements: '100135110',
    streamlabs: '105166207',
    streamstickers: '431026547',
    supibot: '68136884',
    tangiabot: '853402143',
    twirapp: '870280719',
    wizebot: '52268235',
  }),
  ...withoutIds([
    'anotherttvviewer',
    'ankhbot',
    'anthropologydept',
    'blerp',
    'botisimo',
    'botrixoficial',
    'buttsbot',
    'coebot',
    'commanderroot',
    'creatisbot',
    'deepbot',
    'dixperbro',
    'kofistreambot',
    'logviewer',
    'lumiastream',
    'lurxx',
    'mirrobot',
    'mixitupapp',
    'own3d',
    'overlayexpert',
    'phantombot',
    'playwithviewersbot',
    'pokemoncommunitygame',
    'pretzelrocks',
    'restreambot',
    'rewardmore',
    'scottybot',
    'songlistbot',
    'stay_hydrated_bot',
    'streamholics',
    'streamlootsbot',
    'trackerggbot',
    'vivbot',
    'wzbot',
  ]),
];

function withIds(bots: Record<string, string>): KnownBot[] {
  return Object.entries(bots).map(([login, twitchId]) => ({ login, twitchId }));
}

function withoutIds(logins: readonly string[]): KnownBot[] {
  return logins.map((login) => ({ login, twitchId: null }));
}
