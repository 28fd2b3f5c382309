import { config } from '#app/config.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { listChannelsOpenTo } from '#domain/channel/list-channels-open-to.ts';
import { listPlainChannels } from '#domain/channel/list-plain-channels.ts';
import { paidConditions } from '#domain/condition/conditions.ts';
import type { RuleRefusal } from '#domain/rule/create-rule.ts';
import type { RulePlaces } from './rule-form.tsx';

/** Returns what a user still needs to run rules on their own channel; the domain checks the same. */
function lackingHere({ twitch }: Account): RuleRefusal | null {
  if (!twitch) return 'twitchNotLinked';
  if (twitch.isMissing) return 'channelMissing';
  if (twitch.state === 'restricted') return 'twitchRestricted';
  return twitch.streamingFeaturesEnabled ? null : 'twitchPermissionsMissing';
}

/** Lists the channels to choose from, and what is missing if there are none. All of them require Steam. */
export async function rulePlacesOf(
  account: Account,
): Promise<{ places: RulePlaces; lacks: RuleRefusal | null }> {
  const others = account.twitch ? await listChannelsOpenTo(await database(), account.id) : [];
  const here = lackingHere(account);
  const lacks = others.length === 0 ? here : null;
  const ownChannel = here ? '' : (account.twitch?.displayName ?? '');
  const ownId = here ? undefined : account.twitch?.id;
  const offered = [...(ownId ? [ownId] : []), ...others.map(({ id }) => id)];
  const plain = await listPlainChannels(await database(), offered);
  return {
    places: {
      ownChannel,
      others,
      plain: plain.map((id) => (id === ownId ? '' : id)),
      paid: paidConditions,
      paidDraws: config().paidDrawsAllowed,
    },
    lacks: lacks ?? (account.steam ? null : 'steamNotLinked'),
  };
}
