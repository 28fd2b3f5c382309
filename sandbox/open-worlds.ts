import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { createWorldClock, maxOffsetMs, type WorldClock } from './clock/world-clock.ts';
import { readState, type StateFile, syncStateFile, writeWhole } from './state-file.ts';
import { seedSteam } from './steam/seed.ts';
import { SteamWorld } from './steam/world.ts';
import { applyTime as applyStripeTime } from './stripe/time.ts';
import { StripeWorld } from './stripe/world.ts';
import { seedTwitch } from './twitch/seed.ts';
import { TwitchWorld } from './twitch/world.ts';
import type { WorldState as TwitchState } from './twitch/world-state.ts';

/** A startup failure that the operator can fix; the message says how. */
export class SandboxError extends Error {}

/** The product's Twitch application. */
export interface Application {
  clientId: string;
  clientSecret: string;
}

export interface Worlds {
  clock: WorldClock;
  twitch: TwitchWorld;
  steam: SteamWorld;
  stripe: StripeWorld;
  application: Application;
}

export interface OpenWorlds extends Worlds {
  /** Resolves when everything is on disk. */
  save(): Promise<void>;
}

export interface WorldsOptions {
  directory: string;
  clientId: string | undefined;
  clientSecret: string | undefined;
  onError: (error: unknown) => void;
}

const clockSchema = z.object({ offsetMs: z.int().min(0).max(maxOffsetMs) });
const applicationSchema = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/** Loads a file or creates its content; an invalid file is reported, never overwritten. */
async function loadOrCreate<Content>(
  path: string,
  load: (saved: unknown) => Content,
  fresh: () => Content,
): Promise<Content> {
  const saved = await readState(path);
  if (saved === undefined) return fresh();
  try {
    return load(saved);
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'its content is not valid' : String(error);
    throw new SandboxError(`${path} cannot be used (${reason}). Move it away to start afresh.`);
  }
}

/** The application's credentials: configured ones win, others are generated once and stored. */
async function openApplication({ directory, clientId, clientSecret }: WorldsOptions): Promise<Application> {
  const path = join(directory, 'twitch-application.json');
  const randomHex = (bytes: number) => randomBytes(bytes).toString('hex').slice(0, 30);
  const made = { clientId: randomHex(15), clientSecret: randomHex(15) };
  const stored = await loadOrCreate(
    path,
    (saved) => applicationSchema.parse(saved),
    () => made,
  );
  const application = {
    clientId: clientId ?? stored.clientId,
    clientSecret: clientSecret ?? stored.clientSecret,
  };
  await writeWhole(path, JSON.stringify(application), 0o600);
  return application;
}

/** Opens the worlds of a folder, or seeds new ones, and saves every change to the folder. */
export async function openWorlds(options: WorldsOptions): Promise<OpenWorlds> {
  const { directory, onError } = options;
  const paths = {
    clock: join(directory, 'clock.json'),
    twitch: join(directory, 'twitch.json'),
    steam: join(directory, 'steam.json'),
    stripe: join(directory, 'stripe.json'),
  };
  const files: Partial<Record<keyof typeof paths, StateFile>> = {};
  const changed = (name: keyof typeof paths) => () => files[name]?.schedule();

  const offsetMs = await loadOrCreate(
    paths.clock,
    (saved) => clockSchema.parse(saved).offsetMs,
    () => 0,
  );
  const clock = createWorldClock({
    offsetMs,
    onAdvance: () => {
      changed('clock')();
      // Reading the state applies the new time at once, so that bots are notified of expired offers and webhooks are sent.
      void steam.state;
      applyStripeTime(stripe);
      stripe.changed();
    },
  });
  const twitchOptions = { now: clock.now, onChange: changed('twitch') };
  const twitch = await loadOrCreate(
    paths.twitch,
    (saved) => TwitchWorld.fromJSON(saved as TwitchState, twitchOptions),
    () => seeded(new TwitchWorld(twitchOptions), seedTwitch),
  );
  const steamOptions = { now: clock.now, onChange: changed('steam') };
  const steam = await loadOrCreate(
    paths.steam,
    (saved) => SteamWorld.fromJSON(saved, steamOptions),
    () => seeded(new SteamWorld(steamOptions), seedSteam),
  );
  const stripeOptions = { now: clock.now, onChange: changed('stripe') };
  const stripe = await loadOrCreate(
    paths.stripe,
    (saved) => StripeWorld.fromJSON(saved, stripeOptions),
    () => new StripeWorld(stripeOptions),
  );
  const application = await openApplication(options);

  files.clock = syncStateFile(paths.clock, () => ({ offsetMs: clock.offsetMs() }), onError);
  files.twitch = syncStateFile(paths.twitch, () => twitch.toJSON(), onError);
  files.steam = syncStateFile(paths.steam, () => steam.toJSON(), onError);
  files.stripe = syncStateFile(paths.stripe, () => stripe.toJSON(), onError);
  // Save a fresh world as seeded, even if it never changes.
  for (const file of Object.values(files)) file.schedule();
  const save = async () => {
    await Promise.all(Object.values(files).map((file) => file.flush()));
  };
  return { clock, twitch, steam, stripe, application, save };
}

function seeded<World>(world: World, seed: (world: World) => void): World {
  seed(world);
  return world;
}
