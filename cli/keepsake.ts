// npm run keepsake -- <command>, or node build/keepsake.js <command>: operator commands.
import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import { type Database, openDatabase } from '#db/database.ts';
import { wordsOf } from '#db/engine/prove-key.ts';
import { whyNotOpened } from '#db/engine/store-refused.ts';
import { resumeSending, stopSending } from '#domain/bot/stop-sending.ts';
import { botVariables } from '#platform/bot-variables.ts';
import { openClock } from '#platform/clock.ts';
import { describeFaults, readConfiguration } from '#platform/configuration.ts';
import { trialUrl } from '#platform/listen-address.ts';
import { processVariables, storeVariables } from '#platform/shared-variables.ts';
import { auditUsage, runAudit } from './audit.ts';
import { restoreUsage, runBackup, runDrill, runRestore, runVersion } from './backup/commands.ts';
import { runBilling, runStripeSetup } from './billing.ts';
import { findHealthFaults } from './check-health.ts';
import { connectChatAccount } from './connect-chat-account.ts';
import { custodyUsage, runCustody } from './custody.ts';
import { findDemoInStore } from './demo/claim-store.ts';
import { openClockHere } from './demo/open-clock-here.ts';
import { describeFindings, examine, examineWithServers } from './doctor/doctor.ts';
import { examineSteamClock, examineTwitchClock } from './doctor/examine-clock.ts';
import { findClosed } from './doctor/examine-folder.ts';
import { listDoers } from './doctor/list-doers.ts';
import { firstContactUsage, runFirstContact } from './first-contact/first-contact.ts';
import { initUsage, runInit } from './init/init.ts';
import { promptAtTerminal } from './init/prompt.ts';
import { describeWork, runLeases } from './list-leases.ts';
import { runMoveToPostgres } from './move-to-postgres.ts';
import { prepareStore, untilStarted } from './prepare-store.ts';
import { runRemoveSecondFactor } from './second-factor.ts';
import { bringsOwnWorld, openVault, storeOf } from './settings.ts';
import { runShapes, shapesUsage } from './shapes.ts';
import { runUpgradePostgres, upgradeUsage } from './upgrade-postgres.ts';

const chatPlan = {
  ...storeVariables,
  TWITCH_CLIENT_ID: { ...processVariables.TWITCH_CLIENT_ID, check: z.string() },
  TWITCH_BOT_LOGIN: { ...botVariables.TWITCH_BOT_LOGIN, check: z.string() },
  TWITCH_AUTH_URL: processVariables.TWITCH_AUTH_URL,
};

const custodyPlan = { ...storeVariables, KEEPSAKE_CLOCK_URL: processVariables.KEEPSAKE_CLOCK_URL };

const firstContactPlan = {
  ...custodyPlan,
  PUBLIC_URL: processVariables.PUBLIC_URL,
  PORT: processVariables.PORT,
  STEAM_HTTP_PROXY: botVariables.STEAM_HTTP_PROXY,
  TWITCH_AUTH_URL: processVariables.TWITCH_AUTH_URL,
};

interface Command {
  summary: string;
  /** The text of `--help`, if it is more than the summary. */
  usage?: string;
  /** Runs the command and returns whether it succeeded. */
  run(args: readonly string[]): Promise<boolean>;
}

const commands: Readonly<Record<string, Command>> = {
  'connect-chat-account': { summary: 'connects the account that answers in chats', run: runConnect },
  audit: {
    summary: 'compares every item with the ledger, and counts with what they were counted from: audit --help',
    usage: auditUsage,
    run: (args) =>
      withStore((db, nowMs) => runAudit(args, { db, nowMs, print: (line) => console.log(line) })),
  },
  backup: {
    summary: 'writes a backup while everything runs; with --repeat also the next ones, and their drills',
    run: runBackup,
  },
  custody: {
    summary: 'lists what custody needs the operator for, and mends it: custody --help',
    usage: custodyUsage,
    run: (args) =>
      withStore((db, nowMs) => runCustody(args, { db, nowMs, print: (line) => console.log(line) })),
  },
  billing: {
    summary: 'lists what is paid for and overdue, and compares it with Stripe',
    run: () => runBilling(process.env, console.log),
  },
  'stripe:setup': {
    summary: 'creates or mends products, prices, portal and webhook at Stripe, and prints the settings',
    run: () => runStripeSetup(process.env, console.log),
  },
  migrate: {
    summary:
      'brings the database up to date, for web and bot that run without the supervisor; --wait: for a PostgreSQL that is starting, too',
    run: runMigrate,
  },
  'migrate-to-postgres': {
    summary: 'moves an SQLite instance into the empty PostgreSQL of DATABASE_URL',
    run: () => runMoveToPostgres(process.env, { print: console.log, fail: console.error }),
  },
  'upgrade-postgres': {
    summary: 'copies the instance to a newer PostgreSQL server and compares both: upgrade-postgres --help',
    usage: upgradeUsage,
    run: () => runUpgradePostgres(process.env, { print: console.log, fail: console.error }, Date.now()),
  },
  doctor: {
    summary: 'says what is wrong with this installation and how to fix it: doctor --json, --offline',
    run: runDoctor,
  },
  leases: {
    summary: "lists which process does which part of the bot's work, and since when",
    run: () => withStore((db) => runLeases({ db, print: (line) => console.log(line) })),
  },
  healthcheck: {
    summary: 'fails unless web and bot, or the named one, answer on this machine: healthcheck [web] [bot]',
    run: runHealthcheck,
  },
  init: {
    summary: 'asks for the settings, tests each answer and writes them: init --help',
    usage: initUsage,
    run: runInitHere,
  },
  drill: { summary: 'proves that the newest backup, or the given one, can be restored', run: runDrill },
  restore: {
    summary: 'restores a backup; what was there moves aside',
    usage: restoreUsage,
    run: runRestore,
  },
  'remove-second-factor': {
    summary: 'lets somebody in who lost their second factor: remove-second-factor EMAIL',
    run: (args) =>
      withStore((db, nowMs) =>
        runRemoveSecondFactor(args, { db, nowMs, print: (line) => console.log(line) }),
      ),
  },
  'first-contact': {
    summary:
      'leads one cheap item through real Steam and Twitch, and reports what differs: first-contact --help',
    usage: firstContactUsage,
    run: runFirstContactHere,
  },
  shapes: {
    summary: 'reports how Steam, Twitch and Stripe answered that this version does not know: shapes --help',
    usage: shapesUsage,
    run: (args) =>
      withStore((db, nowMs) => runShapes(args, { db, nowMs, print: (line) => console.log(line) })),
  },
  'stop-sending': {
    summary: 'lets no bot send another offer; claim clocks stand still meanwhile',
    run: () => runSending(stopSending, 'Sending is stopped.', 'Sending was stopped already.'),
  },
  'resume-sending': {
    summary: 'lets bots send again, and gives viewers the time back',
    run: () => runSending(resumeSending, 'Bots send again.', 'Sending was not stopped.'),
  },
  version: { summary: 'names version, build and schema', run: runVersion },
};

/** Runs a command on the store at domain time. */
async function withStore(run: (db: Database, nowMs: number) => Promise<boolean>): Promise<boolean> {
  const outcome = readConfiguration(custodyPlan, process.env);
  if (!outcome.ok) {
    console.error(describeFaults(outcome.faults));
    return false;
  }
  const opened = openVault(outcome.values);
  if (!opened.ok) {
    console.error(opened.why);
    return false;
  }
  const db = await openDatabase(storeOf(outcome.values), opened.vault);
  const clock = await openClockHere(process.env, outcome.values.KEEPSAKE_DATA_DIR);
  try {
    return await run(db, clock.now());
  } finally {
    clock.stop();
    await db.close();
  }
}

async function runFirstContactHere(args: readonly string[]): Promise<boolean> {
  const outcome = readConfiguration(firstContactPlan, process.env);
  if (!outcome.ok) {
    console.error(describeFaults(outcome.faults));
    return false;
  }
  const { KEEPSAKE_DATA_DIR, PUBLIC_URL, PORT, STEAM_HTTP_PROXY, TWITCH_AUTH_URL } = outcome.values;
  return withStore((db, nowMs) =>
    runFirstContact(args, {
      db,
      nowMs,
      dataFolder: KEEPSAKE_DATA_DIR,
      publicUrl: PUBLIC_URL ?? new URL(trialUrl(PORT)),
      // The demo goes by the clock of its own world.
      examineClocks: async () =>
        bringsOwnWorld(process.env)
          ? []
          : (
              await Promise.all([
                examineSteamClock(STEAM_HTTP_PROXY?.href),
                examineTwitchClock(TWITCH_AUTH_URL),
              ])
            ).flat(),
      print: (line) => console.log(line),
    }),
  );
}

async function runInitHere(args: readonly string[]): Promise<boolean> {
  const prompt = process.stdin.isTTY ? promptAtTerminal(process.stdin, process.stdout) : null;
  try {
    return await runInit(args, {
      environment: process.env,
      prompt,
      print: (line) => console.log(line),
      runAgain(given, database) {
        // Two processes cannot read one terminal.
        prompt?.close();
        const command = [...process.execArgv, process.argv[1] ?? '', 'init', ...given];
        const options = { env: { ...process.env, ...database }, stdio: 'inherit' } as const;
        return spawnSync(process.execPath, command, options).status === 0;
      },
    });
  } finally {
    prompt?.close();
  }
}

/** The name recorded for stopping or resuming sending here. */
const AT_COMMAND_LINE = 'command line';

const runSending = (change: typeof stopSending, changed: string, unchanged: string): Promise<boolean> =>
  withStore(async (db, nowMs) => {
    const isChanged = await change(db, { operatorId: AT_COMMAND_LINE }, { nowMs, systemMs: Date.now() });
    console.log(isChanged ? changed : unchanged);
    return true;
  });

/** Fails if anything is wrong. */
async function runDoctor(args: readonly string[]): Promise<boolean> {
  const clock = await openClock(process.env.KEEPSAKE_CLOCK_URL || undefined);
  const times = { nowMs: clock.now(), systemMs: Date.now() };
  const findings = await (args.includes('--offline') ? examine : examineWithServers)(process.env, times);
  clock.stop();
  const work = await listDoers(process.env);
  const described = [describeFindings(findings), work.map(describeWork).join('\n')].filter(Boolean);
  console.log(args.includes('--json') ? JSON.stringify({ findings, work }, null, 2) : described.join('\n\n'));
  return findings.length === 0;
}

async function runHealthcheck(args: readonly string[]): Promise<boolean> {
  const faults = await findHealthFaults(args, process.env);
  console.log(faults.length > 0 ? faults.join('\n') : 'Everything that was checked answers.');
  return faults.length === 0;
}

async function runMigrate(args: readonly string[]): Promise<boolean> {
  const outcome = readConfiguration(storeVariables, process.env);
  if (!outcome.ok) {
    console.error(describeFaults(outcome.faults));
    return false;
  }
  if (args.includes('--wait')) await untilStarted(outcome.values, console.log);
  const closed = findClosed(outcome.values.KEEPSAKE_DATA_DIR);
  const demo = closed !== null || bringsOwnWorld(process.env) ? null : await findDemoInStore(outcome.values);
  if (demo) {
    console.error(wordsOf(demo));
    return false;
  }
  const prepared = await prepareStore(outcome.values);
  if (!prepared.ok) {
    console.error(prepared.why);
    return false;
  }
  console.log('The database is up to date.');
  return true;
}

async function runConnect(): Promise<boolean> {
  const outcome = readConfiguration(chatPlan, process.env);
  if (!outcome.ok) {
    console.error(describeFaults(outcome.faults));
    return false;
  }
  const given = outcome.values;
  const opened = openVault(given);
  if (!opened.ok) {
    console.error(opened.why);
    return false;
  }
  const { vault } = opened;
  const db = await openDatabase(storeOf(given), vault);
  try {
    const connected = await connectChatAccount({
      db,
      vault,
      config: {
        clientId: given.TWITCH_CLIENT_ID,
        authUrl: given.TWITCH_AUTH_URL,
        botLogins: given.TWITCH_BOT_LOGIN.split(','),
      },
      print: (line) => console.log(line),
    });
    return connected.ok;
  } finally {
    await db.close();
  }
}

/** Says why a store cannot be opened, in words; a bug keeps its stack. */
function explain(error: unknown): false {
  const why = whyNotOpened(error);
  if (why === null) throw error;
  console.error(why);
  return false;
}

function usage(): string {
  const list = Object.entries(commands).map(([name, { summary }]) => `  ${name}  ${summary}`);
  return [
    'Usage: npm run keepsake -- <command>',
    '   or: node build/keepsake.js <command>',
    '',
    ...list,
  ].join('\n');
}

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command && args.includes('--help')) {
  // Checked before the command reads anything: a user who asks for help has not decided to run it.
  console.log(command.usage ?? `keepsake ${name}: ${command.summary}`);
} else if (command) {
  process.exitCode = (await command.run(args).catch(explain)) ? 0 : 1;
} else if (name === '--help') {
  console.log(usage());
} else {
  console.error(name ? `There is no command ${name}.\n${usage()}` : usage());
  process.exitCode = 2;
}
