/** The stem of a key that has a plural: `items_one` and `items_other` share `items`. */
type Stem<Key> = Key extends `${infer Name}_one` ? Name : never;

/**
 * The Russian texts required for the English ones of an area: every key, and for every plural also its `_few`
 * and `_many`. A missing translation does not compile, nor does one that English does not have.
 */
export type Russian<English> = {
  [Key in keyof English]: English[Key] extends string ? string : Russian<English[Key]>;
} & {
  [Key in keyof English as `${Stem<Key>}_few` | `${Stem<Key>}_many`]: string;
};
