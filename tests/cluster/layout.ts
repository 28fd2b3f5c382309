import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IsOutage } from '../soak/api-client.ts';
import { HostClock } from '../soak/host-clock.ts';
import type { Processes } from '../soak/processes.ts';
import { type Layout, untilReady } from '../soak/stage.ts';
import { EACH, webName } from './front.ts';
import type { Outages } from './outages.ts';

const numbers = Array.from({ length: EACH }, (_, n) => n + 1);
export const webs = numbers.map(webName);
export const bots = numbers.map((n) => `bot-${n}` as const);
export type Member = (typeof webs)[number] | (typeof bots)[number];
export const members: readonly Member[] = [...webs, ...bots];

/** No two processes agree on the date; their clocks differ from the right time by no more than this. */
export const MAX_SKEW_MS = 60_000;

/** The clocks of all processes. What is set for the product as a whole adds to each one's error. */
export class ClusterClock extends HostClock {
  // No private name, because a step is taken before there are any.
  private readonly clocks?: ReadonlyMap<Member, HostClock>;
  readonly #skews = new Map<Member, number>();

  constructor(folder: string) {
    super(folder);
    this.maxAheadMs = MAX_SKEW_MS;
    this.clocks = new Map(
      members.map((name) => {
        const own = join(folder, name);
        mkdirSync(own);
        return [name, new HostClock(own)];
      }),
    );
  }

  /** Their time passes as ours: a pause of a process is then as long for the others' leases as it is. */
  settingsOf = (name: Member): Record<string, string> => ({
    ...this.clocks?.get(name)?.settings,
    SOAK_HOST_PACE: '1',
  });

  skew(name: Member, byMs: number): void {
    this.#skews.set(name, byMs);
    this.clocks?.get(name)?.step(this.aheadMs + byMs);
  }

  override step(aheadMs: number): void {
    super.step(aheadMs);
    for (const [name, clock] of this.clocks ?? []) clock.step(aheadMs + (this.#skews.get(name) ?? 0));
  }
}

export interface ClusterPorts {
  front: number;
  webs: number[];
  bots: number[];
}

const addressOf = (port: number | undefined) => `http://127.0.0.1:${port}`;

/** Three web processes behind one address, and three bots. Each web asks another bot, which may have nothing to do. */
export class ClusterLayout implements Layout {
  readonly webUrl: string;
  readonly botUrl: string;
  readonly hostClock: ClusterClock;
  readonly #ports: ClusterPorts;
  readonly #installation: string;
  readonly #outages: Outages;
  /** The settings of all processes. */
  settings: Record<string, string> = {};

  constructor(given: { ports: ClusterPorts; clock: ClusterClock; installation: string; outages: Outages }) {
    this.#ports = given.ports;
    this.#installation = given.installation;
    this.#outages = given.outages;
    this.hostClock = given.clock;
    this.webUrl = `http://localhost:${given.ports.front}`;
    this.botUrl = addressOf(given.ports.bots[0]);
  }

  isOutage: IsOutage = (status, code) => this.#outages.explain(status, code);

  /** The address of one process. */
  urlOf(name: Member): string {
    const place = Number(name.split('-')[1]) - 1;
    return addressOf(this.#ports[name.startsWith('web') ? 'webs' : 'bots'][place]);
  }

  /** The first bot takes all parts of the work, so that it can be asked for what people own. */
  async start(processes: Processes, given: Record<string, string>): Promise<void> {
    const settings = { ...given, PUBLIC_URL: this.webUrl };
    this.settings = settings;
    for (const [place, name] of webs.entries())
      this.#start(processes, name, {
        ...settings,
        PORT: String(this.#ports.webs[place]),
        BOT_URL: addressOf(this.#ports.bots[place]),
      });
    const startBot = async (name: Member, place: number) => {
      this.#start(processes, name, {
        ...settings,
        BOT_PORT: String(this.#ports.bots[place]),
        BOT_URL: addressOf(this.#ports.bots[place]),
      });
      await untilReady(processes, { url: this.urlOf(name), secret: given.BOT_SECRET ?? '' });
    };
    const [first, ...others] = bots.map((name, place) => () => startBot(name, place));
    await first?.();
    await Promise.all(others.map((start) => start()));
  }

  #start(processes: Processes, name: Member, settings: Record<string, string>): void {
    processes.start(name, { ...settings, ...this.hostClock.settingsOf(name) }, this.#installation);
  }
}
