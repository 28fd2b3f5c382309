import type { en } from './en.ts';

/** A part of a language's texts, by the first word of its keys. */
export type TextArea = keyof typeof en;

/** What every page may need: its frame, and what can be said on any. */
export const commonAreas = ['common', 'cookie_consent', 'errors', 'messages', 'shell'] as const;

/** The area of a key that comes from data. */
export const areaOf = (key: string): TextArea => key.slice(0, key.indexOf('.')) as TextArea;
