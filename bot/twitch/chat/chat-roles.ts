/**
 * The badges of users to whom a chat refuses nothing. A lead moderator has no other sign, because IRC's lines
 * lack `mod=1` then (discuss.dev.twitch.com/t/64488, Chatterino/chatterino2 pull 6642).
 */
export const trustedBadges: readonly string[] = ['moderator', 'lead_moderator', 'broadcaster'];

/**
 * Returns whether IRC's tags are those of a moderator. tmi.js writes `true` over a tag that is 1, and splits
 * the badges.
 */
export function isTrustedByTags(tags: Readonly<Record<string, unknown>> = {}): boolean {
  const badges = String(tags['badges-raw'] ?? '').split(',');
  return (
    tags.mod === '1' ||
    tags.mod === true ||
    badges.some((badge) => trustedBadges.includes(badge.split('/', 1)[0] ?? ''))
  );
}
