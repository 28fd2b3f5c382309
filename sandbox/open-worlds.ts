import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { createWorldClock, longestOffsetMs, type WorldClock } from './clock/world-clock.ts';
import { keepState, readState, type StateFile, writeWhole } from './state-file.ts';
import { seedSteam } from './steam/seed.ts';
import { SteamWorld } from './steam/world.ts';
import { seedTwitch } from './twitch/seed.ts';
import { TwitchWorld } from './twitch/world.ts';
import type { WorldState as TwitchState } from './twitch/world-state.ts';

/** A start that failed for a reason that a person can mend; the message says how. */
export class SandboxError extends Error {}

/** The Twitch application that the product uses. */
export interface Application {
  clientId: string;
  clientSecret: string;
}

export interface Worlds {
  clock: WorldClock;
  twitch: TwitchWorld;
  steam: SteamWorld;
  application: Application;
}

export interface OpenWorlds extends Worlds {
  /** Resolves when the disk has everything. */
  save(): Promise<void>;
}

export interface WorldsOptions {
  directory: string;
  clientId: string | undefined;
  clientSecret: string | undefined;
  onError: (error: unknown) => void;
}

const clockSchema = z.object({ offsetMs: z.int().min(0).max(longestOffsetMs) });
const applicationSchema = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/** Takes up what a file holds, or starts anew; a file that makes no sense is named, never overwritten. */
async function takeUp<Kept>(path: string, load: (saved: unknown) => Kept, fresh: () => Kept): Promise<Kept> {
  const saved = await readState(path);
  if (saved === undefined) return fresh();
  try {
    return load(saved);
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'its content is not valid' : String(error);
    throw new SandboxError(`${path} cannot be used (${reason}). Move it away to start afresh.`);
  }
}

/** The application's credentials: given ones win, others are made once and kept. */
async function openApplication({ directory, clientId, clientSecret }: WorldsOptions): Promise<Application> {
  const path = join(directory, 'twitch-application.json');
  const word = (bytes: number) => randomBytes(bytes).toString('hex').slice(0, 30);
  const made = { clientId: word(15), clientSecret: word(15) };
  const kept = await takeUp(
    path,
    (saved) => applicationSchema.parse(saved),
    () => made,
  );
  const application = {
    clientId: clientId ?? kept.clientId,
    clientSecret: clientSecret ?? kept.clientSecret,
  };
  await writeWhole(path, JSON.stringify(application), 0o600);
  return application;
}

/** Opens the worlds of a folder, or seeds new ones, and keeps the folder equal to them from then on. */
export async function openWorlds(options: WorldsOptions): Promise<OpenWorlds> {
  const { directory, onError } = options;
  const paths = {
    clock: join(directory, 'clock.json'),
    twitch: join(directory, 'twitch.json'),
    steam: join(directory, 'steam.json'),
  };
  const files: Partial<Record<keyof typeof paths, StateFile>> = {};
  const changed = (name: keyof typeof paths) => () => files[name]?.schedule();

  const offsetMs = await takeUp(
    paths.clock,
    (saved) => clockSchema.parse(saved).offsetMs,
    () => 0,
  );
  const clock = createWorldClock({
    offsetMs,
    onAdvance: () => {
      changed('clock')();
      // Reading the state lets time take effect at once, so that bots hear of offers that expired.
      void steam.state;
    },
  });
  const twitchOptions = { now: clock.now, onChange: changed('twitch') };
  const twitch = await takeUp(
    paths.twitch,
    (saved) => TwitchWorld.fromJSON(saved as TwitchState, twitchOptions),
    () => seeded(new TwitchWorld(twitchOptions), seedTwitch),
  );
  const steamOptions = { now: clock.now, onChange: changed('steam') };
  const steam = await takeUp(
    paths.steam,
    (saved) => SteamWorld.fromJSON(saved, steamOptions),
    () => seeded(new SteamWorld(steamOptions), seedSteam),
  );
  const application = await openApplication(options);

  files.clock = keepState(paths.clock, () => ({ offsetMs: clock.offsetMs() }), onError);
  files.twitch = keepState(paths.twitch, () => twitch.toJSON(), onError);
  files.steam = keepState(paths.steam, () => steam.toJSON(), onError);
  // A fresh world is saved as it was seeded, even if nothing ever happens in it.
  for (const file of Object.values(files)) file.schedule();
  const save = async () => {
    await Promise.all(Object.values(files).map((file) => file.flush()));
  };
  return { clock, twitch, steam, application, save };
}

function seeded<World>(world: World, seed: (world: World) => void): World {
  seed(world);
  return world;
}
