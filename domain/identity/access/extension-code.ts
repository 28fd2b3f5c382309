import { newCode, typedCode } from '#domain/kernel/code.ts';
import { minute } from '#domain/kernel/time.ts';
import { hashOf } from './secret-token.ts';

/** Lifetime of a companion app code. */
export const EXTENSION_CODE_LIFETIME_MS = 10 * minute;

/** Twelve characters in groups of four, `K7Q2-M4XD-9TFB`: short enough to type, and 58 bits are too many to guess. */
export const newExtensionCode = (): string => newCode(3);

/** The hash stored for a code. */
export const hashOfExtensionCode = (code: string): string => hashOf(`extension:${typedCode(code)}`);
