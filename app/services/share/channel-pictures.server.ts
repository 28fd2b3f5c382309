import { type ItemPicture, rarities } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { useConditionLines } from '#app/components/rules/condition-lines.ts';
import { type PoolState, poolStates, splitReserved } from '#app/components/rules/pool.tsx';
import { useWords } from '#app/components/text/words.ts';
import { config } from '#app/config.server.ts';
import type { Language } from '#app/locales/languages.ts';
import type { Database } from '#db/database.ts';
import { findPublicChannel } from '#domain/channel/find-public-channel.ts';
import { listFreeKinds } from '#domain/reward/list-free-kinds.ts';
import { listGivenKinds } from '#domain/reward/list-given-kinds.ts';
import { listPublicRules, type PublicRule } from '#domain/rule/list-public-rules.ts';
import { drawable, drawableName } from './drawable.ts';
import { inWords } from './in-words.server.tsx';
import type { SharePicture } from './share-picture.ts';

/** Items of a channel's picture. */
const ITEMS = 3;
/** More cells could not be counted in a picture. */
const MAX_CELLS = 50;

/** The most remarkable items first, each kind once. */
function remarkable(kinds: Awaited<ReturnType<typeof listGivenKinds>>): ItemPicture[] {
  const pictures = [...new Map(kinds.map((kind) => [kind.marketHashName, pictureOf(kind)])).values()];
  return pictures.sort((one, other) => rarities.indexOf(other.rarity) - rarities.indexOf(one.rarity));
}

/** One cell for each reward of a pool, delivered first; none if they are too many. */
export function cellsOf(pool: PublicRule['pool'], preparing: number): PoolState[] {
  const { recalled: _, ...shown } = pool;
  const counts: Partial<Record<PoolState, number>> = splitReserved(shown, preparing);
  const cells = poolStates.flatMap((state) => Array.from({ length: counts[state] ?? 0 }, () => state));
  return cells.length > MAX_CELLS ? [] : cells;
}

/** Returns the number of rewards in a pool, in whatever state. */
export const poolTotal = ({ free, promised, reserved, claimed }: PublicRule['pool']): number =>
  free + promised + reserved + claimed;

/** The picture of a channel's public page; null if it has none. */
export async function channelPicture(
  db: Database,
  login: string,
  language: Language,
): Promise<SharePicture | null> {
  const channel = await findPublicChannel(db, login);
  if (!channel) return null;
  const [rules, kinds] = await Promise.all([
    listPublicRules(db, channel.id),
    listFreeKinds(db, [channel.id]),
  ]);
  const giving = rules.filter(({ pool }) => pool.free > 0);
  const free = giving.reduce((sum, { pool }) => sum + pool.free, 0);
  return inWords(language, () => {
    const { t } = useWords();
    return {
      layout: 'wide',
      above: config().publicUrl.host,
      title: t('share.gives', { channel: drawableName(channel.displayName, channel.login) }),
      lines: [],
      code: null,
      cells: [],
      amount:
        free === 0
          ? t('share.noneLeft')
          : `${t('share.rewardsLeft', { count: free })} ${t('share.inRules', { count: giving.length })}`,
      items: remarkable(kinds).slice(0, ITEMS),
      foot: t('share.unaffiliated'),
    };
  });
}

/** The picture of an open rule on a public channel; null if there is none. */
export async function rulePicture(
  db: Database,
  { login, ruleId }: { login: string; ruleId: string },
  language: Language,
): Promise<SharePicture | null> {
  const channel = await findPublicChannel(db, login);
  if (!channel) return null;
  const [[rule], kinds] = await Promise.all([
    listPublicRules(db, channel.id, { ruleId }),
    listFreeKinds(db, [channel.id]),
  ]);
  if (!rule) return null;
  const free = kinds.filter((kind) => kind.ruleId === ruleId);
  const drawn = free.length > 0 ? free : await listGivenKinds(db, ruleId);
  const name = drawableName(channel.displayName, channel.login);
  return inWords(language, () => {
    const { t, time, number } = useWords();
    const lines = useConditionLines(rule);
    return {
      layout: 'side',
      above: name,
      title: drawable(rule.name) || name,
      lines: lines.map(({ icon, text }) => ({ icon, text: drawable(text) })),
      code: null,
      cells: cellsOf(rule.pool, rule.preparing),
      amount: t('share.leftOf', { free: number(rule.pool.free), total: number(poolTotal(rule.pool)) }),
      items: remarkable(drawn).slice(0, 1),
      foot: t('share.openSince', { date: time(rule.createdAtMs, 'day') }),
    };
  });
}
