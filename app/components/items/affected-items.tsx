import type { ReactNode } from 'react';
import { useNumberText } from '#app/components/text/amounts.tsx';
import type { ItemFacts } from '#db/schema/asset.ts';
import { pictureOf, useItemMeta } from './item-facts.ts';
import { ItemLine } from './item-line.tsx';

/** Item lines in a confirmation. */
export function AffectedItems({ children }: { children: ReactNode }) {
  return <div className="rows lined">{children}</div>;
}

type AffectedKind = Omit<ItemFacts, 'marketHashName'> & { key: string; quantity: number };

/** Kinds of items in a confirmation, each with its number: "× 3". */
export function AffectedKinds({ kinds }: { kinds: readonly AffectedKind[] }) {
  const meta = useItemMeta();
  const number = useNumberText();
  return (
    <AffectedItems>
      {kinds.map((kind) => (
        <ItemLine
          key={kind.key}
          {...pictureOf(kind)}
          name={kind.name}
          meta={meta(kind)}
          end={<b>× {number(kind.quantity)}</b>}
        />
      ))}
    </AffectedItems>
  );
}
