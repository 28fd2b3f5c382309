/** The watch time that each of a channel's rules asks for beyond the one before, in seconds. */
export const RULE_SECONDS = 36_000;
/** One of so many viewers has an account. */
export const ONE_REGISTERED_IN = 20;

export interface Shape {
  channels: number;
  /** The viewers of a channel who have watched before, and those of them who are there. */
  known: number;
  present: number;
  rules: number;
}

/** The ids of a channel's chat start here: there is room for as many new viewers as known ones. */
export const firstViewer = (channel: number, { known }: Shape): number => 100_000_000 + 2 * known * channel;

/** The watch time of a known viewer at the beginning. */
export const secondsOf = (place: number, { rules }: Shape): number =>
  (place * 7877 * 31) % (RULE_SECONDS * rules);

/** A chat of which a twentieth leaves each minute, and as many come; one in ten of these was never seen before. */
export function changingChat(channel: number, shape: Shape) {
  const { known, present } = shape;
  const first = firstViewer(channel, shape);
  const ids = Array.from({ length: known }, (_, place) => String(first + ((place * 7919) % known)));
  const [here, away] = [ids.slice(0, present), ids.slice(present)];
  let [fresh, turn] = [first + known, 0];
  return {
    here,
    minute(): void {
      for (let n = 0; n < present / 20; n++) {
        turn = (turn + 7907) % present;
        away.push(here[turn] as string);
        const isNew = n % 10 === 0 && fresh < first + 2 * known;
        here[turn] = isNew ? String(fresh++) : (away.shift() as string);
      }
    },
  };
}
