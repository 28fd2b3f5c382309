import type { ReactNode } from 'react';
import { useNumberText } from '#app/components/text/amounts.tsx';
import type { ItemFacts } from '#db/schema/asset.ts';
import { pictureOf } from './item-facts.ts';
import { ItemLine } from './item-line.tsx';
import { ItemMeta } from './item-meta.tsx';

/** Item lines in a confirmation. */
export function AffectedItems({ children }: { children: ReactNode }) {
  return <div className="rows lined">{children}</div>;
}

type AffectedKind = Omit<ItemFacts, 'marketHashName'> & { key: string; quantity: number };

/** Kinds of items in a confirmation, each with its number: "× 3". */
export function AffectedKinds({ kinds }: { kinds: readonly AffectedKind[] }) {
  const number = useNumberText();
  return (
    <AffectedItems>
      {kinds.map((kind) => (
        <ItemLine
          key={kind.key}
          {...pictureOf(kind)}
          name={kind.name}
          meta={<ItemMeta item={kind} />}
          end={<b>× {number(kind.quantity)}</b>}
        />
      ))}
    </AffectedItems>
  );
}
