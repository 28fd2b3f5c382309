import { botVariables } from '#platform/bot-variables.ts';
import type { ConfigurationPlan, Environment } from '#platform/configuration.ts';
import { webVariables } from '#platform/web-variables.ts';
import { readSettingsFile } from '../init/settings-file.ts';
import { startPlan } from '../settings.ts';
import type { Finding } from './finding.ts';

const plan: ConfigurationPlan = { ...webVariables, ...botVariables, ...startPlan };
const known: readonly string[] = Object.entries(plan).flatMap(([name, { secret }]) =>
  secret ? [name, `${name}_FILE`] : [name],
);

/** Matches names that belong to us, although no process reads them. */
const ofSandbox = /^(SANDBOX_\w+|PRODUCT_URL|TEXTS_FOLDER)$/;
/** Matches names that are ours by their first word. */
const ours = /^\uFEFF?(KEEPSAKE|TWITCH|STEAM|STRIPE|SMTP|TWURPLE|OPERATOR|MAIL)_/;
/** Matches names in a settings file that are for others who read the same file, or for Node. */
const ofOthers = /^(COMPOSE|DOCKER|POSTGRES|PG|NODE|OTEL|LC|UV|SSL)_?|^(TZ|LANG|HOME|PATH|TMPDIR)$|PROXY$/i;

/** A longer name may differ more from the one that was meant. */
const MAX_EDITS = 2;
const MIN_LENGTH = 8;

/**
 * Examines which variables no process reads: every other one in `.env`, and of the rest of the environment those that
 * resemble a setting.
 */
export function examineUnknown(environment: Environment, file: Environment = readFileHere()): Finding[] {
  const given = Object.keys(environment).filter((name) => environment[name] && isSuspect(name));
  const written = Object.keys(file).filter((name) => !ofOthers.test(name));
  const names = new Set(
    [...written, ...given].filter((name) => !known.includes(name) && !ofSandbox.test(name)),
  );
  return [...names].sort().map((name) => {
    const nearest = nearestTo(name);
    return {
      name: 'settingUnknown',
      what: `${JSON.stringify(name).slice(1, -1).replace('\uFEFF', '\\ufeff')} is not a setting of Keepsake.`,
      why: 'It is ignored, and what it was to set has its default.',
      remedy: nearest
        ? `Write ${nearest} if you mean that one, or remove it.`
        : 'Look the name up in docs/configuration.md, or remove it.',
    };
  });
}

/** A file that cannot be read has ended the command already. */
function readFileHere(): Environment {
  try {
    return readSettingsFile('.env') ?? {};
  } catch {
    return {};
  }
}

const isSuspect = (name: string): boolean =>
  ours.test(name) || name.startsWith('\uFEFF') || (name.length >= MIN_LENGTH && nearestTo(name) !== null);

/** The setting that a name was probably meant to be, or null. */
function nearestTo(name: string): string | null {
  const [nearest] = known
    .map((each) => ({ each, edits: editsBetween(name.toUpperCase(), each) }))
    .sort((a, b) => a.edits - b.edits);
  return nearest && nearest.edits <= MAX_EDITS ? nearest.each : null;
}

/** Counts the characters to add, remove or replace until one text is the other (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [place, letter] of [...one].entries()) {
    const next = [place + 1];
    for (const [at, compared] of [...other].entries())
      next.push(
        Math.min((row[at] ?? 0) + (letter === compared ? 0 : 1), (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
