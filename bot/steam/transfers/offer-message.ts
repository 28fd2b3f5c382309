import { createHmac } from 'node:crypto';
import type { TransferKind } from '#db/schema/transfer.ts';
import { codeLetters } from '#domain/kernel/code.ts';

const TAG_LETTERS = 6;
const ownMessage = /^Keepsake [A-Z2-9]{4}-[A-Z2-9]{4} .* Ref\. ([A-Z2-9]{6})$/;

const sentences: Record<TransferKind, string> = {
  deposit: 'Your deposit. Accept only if this code is the one on the page.',
  return: 'Your items come back. You give nothing.',
  claim: 'Your reward. You give nothing, and nobody will ask you to.',
};

/**
 * Names an instance in its offers, because two of them may use one Steam account. A restored backup keeps its
 * name.
 */
export function instanceTagOf(encryptionKey: string): string {
  const bytes = createHmac('sha256', encryptionKey).update('offers of this instance').digest();
  return Array.from(bytes.subarray(0, TAG_LETTERS), (byte) => codeLetters[byte % codeLetters.length]).join(
    '',
  );
}

/**
 * At most 128 characters. The code identifies the offer to the recipient and to us, the tag identifies the
 * instance.
 */
export const offerMessageOf = (
  { kind, securityCode }: { kind: TransferKind; securityCode: string },
  instanceTag: string,
): string => `Keepsake ${securityCode} – ${sentences[kind]} Ref. ${instanceTag}`;

/** Returns whether an offer with this message was made by this instance. */
export const isOurMessage = (message: string | null, instanceTag: string): boolean =>
  ownMessage.exec(message ?? '')?.[1] === instanceTag;
