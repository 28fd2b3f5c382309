import type { ReactNode } from 'react';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { Avatar } from '#app/components/shell/shell.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import type { ItemFacts } from '#db/schema/asset.ts';

type Props = {
  item: ItemFacts;
  whose: { displayName: string; pictureUrl: string };
  children: ReactNode;
};

/** An item that has been given: its art, whose channel or viewer it is about, and how it ended. */
export function GalleryItem({ item, whose: { displayName: name, pictureUrl }, children }: Props) {
  return (
    <li>
      <ItemArt {...pictureOf(item)} />
      <div>
        <div className="item__name">
          <Unbroken text={item.name} />
        </div>
        <span className="line line-tight line-nowrap">
          <Avatar name={name} url={pictureUrl || null} size="tiny" />
          <span>{name}</span>
        </span>
        {children}
      </div>
    </li>
  );
}
