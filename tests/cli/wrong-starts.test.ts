import { expect, test } from 'vitest';
import { canBeMade, runWrongStart, wrongStarts } from '#tests/support/wrong-starts/wrong-starts.ts';
import { isBuildStale } from '../../tools/build.ts';

/** Matches what a start says of settings that may be missing, before it goes on. */
const isAdvice =
  /^(TWITCH_CLIENT_ID or TWITCH_CLIENT_SECRET|SMTP_URL|OPERATOR_EMAIL|STEAM_BOTS_FILE) is not set\./;
/** Far above what a start takes to find its fault, which is about a second, on a machine that is busy with other tests. */
const MAX_MS = 20_000;

test.skipIf(isBuildStale('.')).for(Object.entries(wrongStarts).filter(([, wrong]) => canBeMade(wrong)))(
  'A start says in one line what is wrong, and why, and what to do: %s',
  { concurrent: true },
  async ([, wrong]) => {
    const { code, lines, tookMs } = await runWrongStart(wrong);
    const refused = lines.filter((line) => !isAdvice.test(line));
    expect({ code, refused }).toEqual({
      code: 1,
      refused: wrong.lines.map((line) => expect.stringMatching(line)),
    });
    expect(tookMs).toBeLessThan(MAX_MS);
  },
);
