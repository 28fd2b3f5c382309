import { useNumberText } from '#app/components/text/amounts.tsx';

/** Formats an amount in minor units of a currency with two decimals, as the language writes it. */
export function usePriceText(currency: string): (minorUnits: number) => string {
  const number = useNumberText();
  return (minorUnits) =>
    number(minorUnits / 100, {
      style: 'currency',
      currency: currency.toUpperCase(),
      minimumFractionDigits: minorUnits === 0 ? 0 : 2,
    });
}
