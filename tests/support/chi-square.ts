/** The distance between counts and expected values: Pearson's chi-square. */
export const chiSquare = (counts: readonly number[], expected: readonly number[]): number =>
  counts.reduce(
    (sum, found, place) => sum + (found - (expected[place] ?? 0)) ** 2 / (expected[place] ?? 0),
    0,
  );

/**
 * The probability of at least this distance if the counts are as expected: the upper regularized incomplete gamma
 * function of half the degrees of freedom, by its series or continued fraction (Numerical Recipes, "Incomplete Gamma
 * Function").
 */
export function pValue(statistic: number, freedom: number): number {
  const [a, x] = [freedom / 2, statistic / 2];
  const scale = Math.exp(-x + a * Math.log(x) - logGamma(a));
  return x < a + 1 ? 1 - scale * series(a, x) : scale * fraction(a, x);
}

function series(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; term > sum * 1e-15; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/** Lentz's method. */
function fraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let value = d;
  for (let n = 1, change = 0; Math.abs(change - 1) > 1e-15 && n < 10_000; n++) {
    const step = -n * (n - a);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    change = c * d;
    value *= change;
  }
  return value;
}

/** For whole and half numbers only, as degrees of freedom need. */
function logGamma(half: number): number {
  let result = Number.isInteger(half) ? 0 : Math.log(Math.PI) / 2;
  for (let n = half - 1; n > 0; n--) result += Math.log(n);
  return result;
}
