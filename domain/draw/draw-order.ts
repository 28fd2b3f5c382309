import { kindNameOf, type NamedKind } from '#domain/item/kind-name.ts';

type Kind = NamedKind & { appId: number };

/**
 * The order in which a draw counts its candidates: by app id, then by the bytes of the kind's name, identical on every
 * database.
 */
export const inDrawOrder = (a: Kind, b: Kind): number =>
  a.appId - b.appId || Buffer.compare(Buffer.from(kindNameOf(a)), Buffer.from(kindNameOf(b)));
