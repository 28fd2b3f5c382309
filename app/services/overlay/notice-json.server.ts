import type { Notice } from '#app/overlay/protocol.ts';
import { harmlessJson } from '#platform/harmless.ts';

const written = new WeakMap<Notice, string>();

/** A notice as JSON, written once for all pages. Names from elsewhere hide nothing in it and turn no text around. */
export function jsonOf(notice: Notice): string {
  const json = written.get(notice) ?? harmlessJson(notice);
  written.set(notice, json);
  return json;
}
