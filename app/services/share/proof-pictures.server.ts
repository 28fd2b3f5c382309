import { pictureOf } from '#app/components/items/item-facts.ts';
import { useWords } from '#app/components/text/words.ts';
import type { Language } from '#app/locales/languages.ts';
import type { Database } from '#db/database.ts';
import { emptyPool, poolsOf } from '#domain/rule/list-rules.ts';
import { type DrawProof, getDrawProof, getRuleProof, type RuleProof } from '#domain/view/get-proof.ts';
import { cellsOf, poolTotal } from './channel-pictures.server.ts';
import { drawable } from './drawable.ts';
import { inWords } from './in-words.server.tsx';
import type { SharePicture } from './share-picture.ts';

/** The picture of a random rule's proof, with its latest draw; null if there is none. */
export async function proofPicture(
  db: Database,
  ruleId: string,
  language: Language,
): Promise<SharePicture | null> {
  const rule = await getRuleProof(db, ruleId);
  if (!rule) return null;
  const latest = rule.head && (await getDrawProof(db, { ruleId, number: rule.head.number }));
  return picture(db, rule, latest?.draw ?? null, language, false);
}

/** The picture of one draw; null if there is none. */
export async function drawPicture(
  db: Database,
  asked: { ruleId: string; number: number },
  language: Language,
): Promise<SharePicture | null> {
  const found = await getDrawProof(db, asked);
  return found && picture(db, found.rule, found.draw, language, true);
}

async function picture(
  db: Database,
  rule: RuleProof,
  draw: DrawProof | null,
  language: Language,
  isOfDraw: boolean,
): Promise<SharePicture> {
  // A deleted rule has nothing left to earn, whatever its pool was.
  const pools = rule.state === 'closed' ? null : await poolsOf(db, [rule.ruleId]);
  const pool = pools?.get(rule.ruleId) ?? emptyPool();
  const total = poolTotal(pool);
  return inWords(language, () => {
    const { t, time, number } = useWords();
    const name = drawable(rule.ruleName) || rule.ruleId;
    const date = (ms: number) => ({ date: time(ms, 'date') });
    return {
      layout: 'side',
      above:
        isOfDraw && draw
          ? t('share.drawOf', { number: draw.number, rule: name })
          : t('share.proofOf', { rule: name }),
      title: t('share.check'),
      lines: [],
      code: draw?.fingerprint ?? rule.commitment,
      cells: cellsOf(pool, 0),
      amount: total === 0 ? null : t('share.leftOf', { free: number(pool.free), total: number(total) }),
      items: draw ? [pictureOf(draw.item)] : [],
      foot:
        isOfDraw && draw
          ? t('share.drawnOn', date(draw.drawnAtMs))
          : rule.seed !== null && rule.closedAtMs !== null
            ? t('share.revealedOn', date(rule.closedAtMs))
            : t('share.sealedSince', date(rule.createdAtMs)),
    };
  });
}
