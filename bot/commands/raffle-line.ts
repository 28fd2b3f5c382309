import type { ChatLines } from '#bot/locales/en.ts';
import type { RaffleAnnouncement } from '#db/schema/twitch.ts';
import { minute } from '#domain/kernel/time.ts';
import { cutLine, MAX_LINE_LENGTH } from './chat-line.ts';

type Drawn = Extract<RaffleAnnouncement, { kind: 'drawn' }>;

/** Words an announcement of a raffle for its chat, in as many lines as name every winner. */
export function raffleLines(
  lines: ChatLines['raffle'],
  announcement: RaffleAnnouncement,
  at: { origin: string; nowMs: number },
): string[] {
  return announcement.kind === 'drawn'
    ? drawnLines(lines, announcement, at)
    : [cutLine(raffleLine(lines, announcement, at))];
}

function raffleLine(
  lines: ChatLines['raffle'],
  announcement: Exclude<RaffleAnnouncement, Drawn>,
  { origin, nowMs }: { origin: string; nowMs: number },
): string {
  const url = `${origin}/raffle/${announcement.raffleId}`;
  switch (announcement.kind) {
    case 'started':
      return lines.started({
        ...announcement,
        minutes: Math.max(1, Math.round((announcement.endsAtMs - nowMs) / minute)),
        url,
      });
    case 'entered':
      return lines.entered({ entries: announcement.entries, hash: announcement.listHash, url });
    case 'sealed':
      return lines.sealed({ ...announcement, url });
    case 'nobody':
      return lines.nobody();
    case 'elsewhere':
      return lines.elsewhere(announcement);
  }
}

/** Those without an account come first: they hear of it nowhere else. */
function drawnLines(
  lines: ChatLines['raffle'],
  { raffleId, names, withoutAccount, hours }: Drawn,
  { origin }: { origin: string },
): string[] {
  const held = (called: string) => lines.held({ names: called, hours, url: `${origin}/raffle/${raffleId}` });
  const drawn = (called: string) => lines.drawn({ names: called, url: `${origin}/rewardProgress` });
  return [...naming(withoutAccount, held), ...naming(names, drawn)];
}

/** Fills lines with names, so that each keeps its whole text and link. */
function naming(names: readonly string[], wordsFor: (called: string) => string): string[] {
  const filled: string[] = [];
  for (const name of names) {
    const last = filled.pop();
    const longer = last === undefined ? `@${name}` : `${last}, @${name}`;
    if (last === undefined || wordsFor(longer).length <= MAX_LINE_LENGTH) filled.push(longer);
    else filled.push(last, `@${name}`);
  }
  return filled.map((called) => cutLine(wordsFor(called)));
}
