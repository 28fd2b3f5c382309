import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** The names that make assets of a game one kind: special pieces are one kind only with the same traits. */
export interface NamedKind {
  marketHashName: string;
  traits?: string | undefined;
}

/**
 * Returns the name of a kind within its game: its market name, and on a second line the traits of a special
 * piece.
 */
export const kindNameOf = ({ marketHashName, traits = '' }: NamedKind): string =>
  traits === '' ? marketHashName : `${marketHashName}\n${traits}`;

/** Like `kindNameOf`, as an expression. */
export const kindNameIn = (asset: { marketHashName: SQLWrapper; traits: SQLWrapper }): SQL<string> =>
  sql<string>`case when ${asset.traits} = '' then ${asset.marketHashName} else ${asset.marketHashName} || ${'\n'} || ${asset.traits} end`;

/** The traits in a kind's name, as an expression; `marketHashName` is its first line. */
export const traitsIn = (kindName: SQLWrapper, marketHashName: SQLWrapper): SQL<string> =>
  sql<string>`substr(${kindName}, length(${marketHashName}) + 2)`;
