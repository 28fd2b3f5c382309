import { findDifferences } from './find-differences.ts';
import type { AnswerShape, OddAnswer } from './odd-answer.ts';

/**
 * Number of differences of one platform, and of one place of it, that wait to be stored. Beyond it, further ones are not
 * recorded.
 */
const MAX_WAITING = { platform: 50, place: 10 } as const;

const keyOf = ({ platform, place, path, difference, found }: OddAnswer) =>
  `${platform} ${place} ${path} ${difference} ${found}`;

/** Compares the platforms' answers with their shapes. The differences are counted until they are taken and stored. */
export class AnswerWatch {
  #waiting = new Map<string, OddAnswer>();

  /** Compares an answer. Never throws, because watching must not prevent the work that needs the answer. */
  look(shape: AnswerShape, answer: unknown): void {
    try {
      for (const odd of findDifferences(shape, answer)) this.#add({ ...odd, count: 1 });
    } catch {
      // Nothing is known then.
    }
  }

  /** Counts a difference that no schema can tell, such as a sentence. */
  count(odd: Omit<OddAnswer, 'count'>): void {
    this.#add({ ...odd, count: 1 });
  }

  /** Returns what was counted since the last call, and counts anew. */
  take(): OddAnswer[] {
    const taken = [...this.#waiting.values()];
    this.#waiting = new Map();
    return taken;
  }

  /** Counts again what was taken and could not be stored. */
  putBack(taken: readonly OddAnswer[]): void {
    for (const odd of taken) this.#add(odd);
  }

  #add(odd: OddAnswer): void {
    const key = keyOf(odd);
    const known = this.#waiting.get(key);
    if (known) known.count += odd.count;
    else if (this.#hasRoomFor(odd)) this.#waiting.set(key, { ...odd });
  }

  #hasRoomFor({ platform, place }: OddAnswer): boolean {
    const ofPlatform = [...this.#waiting.values()].filter((each) => each.platform === platform);
    const ofPlace = ofPlatform.filter((each) => each.place === place);
    return ofPlatform.length < MAX_WAITING.platform && ofPlace.length < MAX_WAITING.place;
  }
}

/** The watch of this process. */
export const answerWatch = new AnswerWatch();
