/** Tells on standard error how far a run is, because standard output ends with its result. */
export class Progress {
  readonly #startedAtMs = Date.now();
  readonly #timer: NodeJS.Timeout;
  #phase = 'starts';
  #facts: () => string = () => 'goes on';

  constructor(everyMs = 15_000) {
    this.#timer = setInterval(() => this.#print(`${this.#phase}: ${this.#facts()}`), everyMs);
  }

  get seconds(): number {
    return Math.round((Date.now() - this.#startedAtMs) / 1000);
  }

  get phase(): string {
    return this.#phase;
  }

  /** Begins a phase; its facts are told every few seconds. */
  enter(phase: string, facts: () => string = () => 'goes on'): void {
    this.#phase = phase;
    this.#facts = facts;
    this.#print(phase);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #print(what: string): void {
    console.error(`${String(this.seconds).padStart(4)} s  ${what}`);
  }
}
