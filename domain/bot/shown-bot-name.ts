/** A bot's name as people see it: that of its profile on Steam, or its own until the profile was read. */
export const shownBotName = ({ name, profileName }: { name: string; profileName: string }): string =>
  profileName || name;
