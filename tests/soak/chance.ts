import { randomOf } from '#tests/bot/twitch/generated-day.ts';

/** Random decisions determined by the seed. Each actor has its own, so that one does not affect the others. */
export class Chance {
  readonly #random: () => number;

  constructor(seed: number, actor: string) {
    const ofActor = [...actor].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed);
    this.#random = randomOf(ofActor);
  }

  /** True with this probability. */
  is(share: number): boolean {
    return this.#random() < share;
  }

  /** A whole number from least to most, inclusive. */
  between(least: number, max: number): number {
    return least + Math.floor(this.#random() * (max - least + 1));
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.between(0, list.length - 1)];
  }

  /** One of the names, with probabilities proportional to their numbers. */
  among<Name extends string>(shares: Record<Name, number>): Name {
    const all = Object.entries(shares) as [Name, number][];
    let left = this.#random() * all.reduce((sum, [, share]) => sum + share, 0);
    for (const [name, share] of all) {
      left -= share;
      if (left < 0) return name;
    }
    return (all.at(-1) as [Name, number])[0];
  }
}
