/** An answer is asked for anew after this time. */
const FRESH_MS = 60_000;
/** An answer that is older than this is none. */
const LASTS_MS = 75_000;

/** The time by the wall and by the page's own clock: the latter stands still while some machines sleep. */
type Moment = readonly [wall: number, steady: number];

interface Followed<Answer> {
  ask: () => Promise<Answer>;
  /** Shows an answer; null once it is too old. */
  report: (answer: Answer | null) => void;
  now: () => Moment;
}

/** Keeps an answer fresh. Answers count in the order of their questions, so that a late one never replaces a newer. */
export class Follower<Answer> {
  readonly #followed: Followed<Answer>;
  #asked = 0;
  #reported = 0;
  #askedAt: Moment = [-Infinity, -Infinity];
  #reportedAt: Moment | null = null;

  constructor(followed: Followed<Answer>) {
    this.#followed = followed;
  }

  #isOlder(moment: Moment, ms: number): boolean {
    return this.#followed.now().some((time, clock) => time - (moment[clock] ?? 0) >= ms);
  }

  async ask(): Promise<void> {
    const { ask, report, now } = this.#followed;
    const at = now();
    const number = ++this.#asked;
    this.#askedAt = at;
    const answer = await ask();
    if (number < this.#reported) return;
    this.#reported = number;
    this.#reportedAt = this.#isOlder(at, LASTS_MS) ? null : at;
    report(this.#reportedAt && answer);
  }

  /** Takes an answer away that is too old, and asks for another if the page is looked at. `isBack` is set as that begins. */
  look(isHidden: boolean, isBack = false): void {
    const lasts = isBack ? FRESH_MS : LASTS_MS;
    if (this.#reportedAt && this.#isOlder(this.#reportedAt, lasts)) {
      this.#reportedAt = null;
      this.#followed.report(null);
    }
    if (!isHidden && this.#isOlder(this.#askedAt, FRESH_MS)) void this.ask();
  }
}
