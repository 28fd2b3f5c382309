/**
 * A piece of a script: a word, a text with its quotes, or one sign. Comments and spaces are left out, so that nothing that
 * stands in a text or a comment is taken for code: names of strangers stand in texts.
 */
interface Token {
  text: string;
  at: number;
}

const piece =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|[\w$]+|[^\s\w$]/g;

function tokensOf(source: string): Token[] {
  const found = [...source.matchAll(piece)].map((match) => ({ text: match[0], at: match.index }));
  return found.filter(({ text }) => !text.startsWith('//') && !text.startsWith('/*'));
}

/** The value of a plain text in quotes, or of a number; null for anything else. */
function plainValue(text: string | undefined): string | null {
  const quoted = /^(['"])([^'"\\]*)\1$/.exec(text ?? '');
  return quoted?.[2] ?? (/^\d+$/.test(text ?? '') ? (text ?? null) : null);
}

/** A script of a page, read without running it. */
export class Script {
  readonly #source: string;
  readonly #tokens: readonly Token[];

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokensOf(source);
  }

  #text = (place: number): string => this.#tokens[place]?.text ?? '';

  /** The places after each assignment to a variable, but not after comparisons with it. */
  #assignments(name: string): number[] {
    return this.#tokens.flatMap(({ text }, place) => {
      const isAssigned = text === name && this.#text(place + 1) === '=' && this.#text(place + 2) !== '=';
      return isAssigned && this.#text(place - 1) !== '.' ? [place + 2] : [];
    });
  }

  /** The plain values that a variable is given; null for one that is not plain. */
  values(name: string): (string | null)[] {
    return this.#assignments(name).map((place) => plainValue(this.#text(place)));
  }

  /** The first arguments of the calls of a function, such as `UserYou.SetSteamId`; undefined for a call without any. */
  firstArguments(name: string): (string | undefined)[] {
    const path = name.split(/(\.)/);
    return this.#tokens.flatMap((_, place) => {
      const isCall = path.every((part, index) => this.#text(place + index) === part);
      const open = place + path.length;
      const isDefined = this.#text(place - 1) === 'function' || this.#text(place - 1) === '.';
      if (!isCall || isDefined || this.#text(open) !== '(') return [];
      const argument = this.#text(open + 1);
      return [argument === ')' ? undefined : argument];
    });
  }

  /** The data that a variable is given, written as plain JSON or as `JSON.parse` of a text; undefined for other code. */
  data(name: string): unknown[] {
    return this.#assignments(name).map((place) => {
      try {
        return this.#text(place) === '{' ? this.#objectAt(place) : this.#parsedAt(place);
      } catch {
        return undefined;
      }
    });
  }

  #objectAt(place: number): unknown {
    let depth = 0;
    for (let end = place; end < this.#tokens.length; end++) {
      const text = this.#text(end);
      if (text === '{') depth++;
      if (text === '}') depth--;
      if (depth > 0) continue;
      const from = this.#tokens[place]?.at ?? 0;
      return JSON.parse(this.#source.slice(from, (this.#tokens[end]?.at ?? 0) + 1));
    }
    return undefined;
  }

  #parsedAt(place: number): unknown {
    const call = ['JSON', '.', 'parse', '('].every((part, index) => this.#text(place + index) === part);
    const text = this.#text(place + 4);
    if (!call || !text.startsWith('"') || this.#text(place + 5) !== ')') return undefined;
    return JSON.parse(JSON.parse(text));
  }

  /** The plain value of an argument: itself, or the one value of the variable that it names. */
  valueOf(argument: string | undefined): string | null {
    if (argument === undefined) return null;
    const plain = plainValue(argument);
    if (plain !== null) return plain;
    const values = this.values(argument);
    return values.length === 1 ? (values[0] ?? null) : null;
  }
}
