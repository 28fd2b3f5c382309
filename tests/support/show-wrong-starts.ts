// npm run wrong-starts: makes installations that cannot work, starts each, and prints what the start says, for people to
// read. Needs a build.
import { canBeMade, runWrongStart, wrongStarts } from '#tests/support/wrong-starts/wrong-starts.ts';

const entries = Object.entries(wrongStarts);
console.log('| what is wrong | what the start says | ends with | after |\n|---|---|---|---|');
for (const [name, wrong] of entries) {
  if (!canBeMade(wrong)) {
    console.log(`| ${name} | (only root can make this one) | – | – |`);
    continue;
  }
  const { code, lines, tookMs } = await runWrongStart(wrong);
  console.log(`| ${name} | ${lines.join('<br>')} | ${code} | ${(tookMs / 1000).toFixed(1)} s |`);
}
