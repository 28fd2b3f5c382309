import { readFileSync } from 'node:fs';

interface Asked {
  url: string;
  /** The page, worker or extension that asked; `not an origin` for the browser itself. */
  initiator: string;
}

/**
 * The requests that a Chromium wrote to its own log of the network (`--log-net-log`): those of all tabs, of extensions and
 * of the browser itself. An event stands on one line.
 */
export function requestsIn(file: string): Asked[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, initiator] = /"initiator":"([^"]*)"/.exec(line) ?? [];
      const [, url] = /"url":"([^"]*)"/.exec(line) ?? [];
      return url === undefined || initiator === undefined ? [] : [{ url, initiator }];
    });
}
