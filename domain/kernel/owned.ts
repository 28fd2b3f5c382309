declare const owned: unique symbol;

/**
 * A thing of which was checked that it belongs to the user who asks. Verbs that take one by this type need not check
 * again; only the queries that do check make one.
 */
export type Owned<Thing> = Thing & { readonly [owned]: true };

/** Called right where a query was restricted to the owner's own things. */
export const asOwned = <Thing>(checked: Thing): Owned<Thing> => checked as Owned<Thing>;
