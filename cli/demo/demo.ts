// The demo world: a streamer with items in and past their cooldown, twelve viewers, and two other channels, created
// through the product's own API and by acting as the users on Twitch and Steam. Created once; later starts reuse it.
import { and, eq, gt, isNull, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { newId } from '#domain/kernel/id.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import type { BotApi } from './bot-api.ts';
import { foundChannels, otherChannels } from './channels.ts';
import { type DemoNotes, demoNotesFile, readDemoNotes, writeDemoNotes } from './demo-notes.ts';
import { DemoPanel, type World } from './panel.ts';
import { claimant, type Past, pastSteps } from './past.ts';
import { settle, settleChatAccount } from './people.ts';
import { sellDemoPlans, setUpDemoStripe } from './subscribe.ts';
import { until } from './until.ts';

const VIEWERS = 12;

/** Everybody in the order of the notes: the streamer, the viewers, and the owners of the other channels. */
const demoPeople = [
  { name: 'Demo streamer', login: 'demo_streamer', steamName: 'Demo streamer', isStreamer: true },
  ...Array.from({ length: VIEWERS }, (_, place) => {
    const number = String(place + 1).padStart(2, '0');
    return {
      name: `Demo viewer ${number}`,
      login: `demo_viewer_${number}`,
      steamName: `Demo viewer ${place + 1}`,
      isStreamer: false,
    };
  }),
  ...otherChannels.map(({ name, login }) => ({ name, login, steamName: name, isStreamer: true })),
];

/**
 * Creates the demo's users and items through the panel and the product; a second start resumes where the first
 * stopped.
 */
export class Demo {
  readonly #dataFolder: string;
  readonly #database: Database;
  readonly #panel: DemoPanel;
  readonly #environment: Record<string, string | undefined>;
  #notes: DemoNotes;

  private constructor(parts: {
    dataFolder: string;
    db: Database;
    panel: DemoPanel;
    environment: Record<string, string | undefined>;
  }) {
    this.#dataFolder = parts.dataFolder;
    this.#database = parts.db;
    this.#panel = parts.panel;
    this.#environment = parts.environment;
    const notes = readDemoNotes(parts.dataFolder);
    if (notes === 'damaged') throw new Error(`${demoNotesFile(parts.dataFolder)} is damaged`);
    this.#notes = notes ?? { people: [], stocked: false };
  }

  static open(parts: {
    dataFolder: string;
    db: Database;
    panelUrl: string;
    environment: Record<string, string | undefined>;
  }): Demo {
    const { dataFolder, db, environment } = parts;
    return new Demo({
      dataFolder,
      db,
      panel: new DemoPanel(parts.panelUrl),
      environment,
    });
  }

  /** Signs everyone up. Runs before the bot, which would send the mails whose links are needed here. */
  async settlePeople(vault: Vault): Promise<void> {
    if (this.#notes.stocked || demoPeople.every(({ name }) => this.#hasSettled(name))) return;
    console.log('Creating the demo world: signing up three streamers and twelve viewers …');
    await foundChannels(this.#panel);
    const around = {
      db: this.#database,
      vault,
      twitch: {
        authUrl: this.#environment.TWITCH_AUTH_URL ?? '',
        clientId: this.#environment.TWITCH_CLIENT_ID ?? '',
      },
      world: await this.#panel.get<World>('/world.json'),
    };
    await settleChatAccount(around, this.#environment.TWITCH_BOT_LOGIN ?? '');
    for (const who of demoPeople)
      if (!this.#hasSettled(who.name))
        this.#write({ people: [...this.#notes.people, await settle(around, who)] });
  }

  #hasSettled(name: string): boolean {
    return this.#notes.people.some((person) => person.name === name);
  }

  /** Sets the sandbox's Stripe up. Returns the product's settings that follow. */
  async setUpPlans(publicUrl: string): Promise<Record<string, string>> {
    return setUpDemoStripe({ db: this.#database, environment: this.#environment, publicUrl });
  }

  /** Sells plans at the sandbox's Stripe, once the web takes its webhooks. */
  async sellPlans(publicUrl: string): Promise<void> {
    const [streamer, viewer] = this.#notes.people;
    if (!streamer || !viewer) return;
    const around = { db: this.#database, environment: this.#environment, publicUrl };
    await sellDemoPlans(around, { streamer: streamer.userId, viewer: viewer.userId });
  }

  /** Gives the demo its past: deposits, rules, deliveries, and a reward to claim. Steps that are done are left out. */
  async makePast(bot: BotApi): Promise<void> {
    const { people, stocked } = this.#notes;
    if (people.length === 0 || stocked) return;
    console.log('Creating the demo world: items are deposited, earned and delivered …');
    const past: Past = {
      db: this.#database,
      panel: this.#panel,
      bot,
      idOf: (request) => this.#idOf(request),
      timeOf: (name, otherwiseMs) => this.#timeOf(name, otherwiseMs),
      userIdOf: (name) => people.find((person) => person.name === name)?.userId ?? '',
    };
    for (const [name, step] of Object.entries(pastSteps)) {
      if (this.#notes.done?.includes(name)) continue;
      await step(past);
      this.#write({ done: [...(this.#notes.done ?? []), name] });
    }
    await this.#emptyInbox();
    this.#write({ stocked: true });
  }

  /** Notes the id before anything is requested by it. */
  #idOf(request: string): string {
    const known = this.#notes.ids?.[request];
    if (known) return known;
    const id = newId(Date.now());
    this.#write({ ids: { ...this.#notes.ids, [request]: id } });
    return id;
  }

  #timeOf(name: string, otherwiseMs: number): number {
    const known = this.#notes.times?.[name];
    if (known === undefined) this.#write({ times: { ...this.#notes.times, [name]: otherwiseMs } });
    return known ?? otherwiseMs;
  }

  /** Empties the inbox of the mails that created the demo, so that visitors see only their own. */
  async #emptyInbox(): Promise<void> {
    // A mail for a later day, such as the one about items that become usable, stays.
    const { nowMs } = await this.#panel.get<World>('/world.json');
    const isUnsent = and(isNull(mails.sentAtMs), lte(mails.runAtMs, nowMs));
    await until(async () => {
      const unsent = await this.#database.read.select({ id: mails.id }).from(mails).where(isUnsent).limit(1);
      return unsent.length === 0 ? true : null;
    }, 'an empty outbox');
    await this.#panel.post('/mail/clear', {});
  }

  /** Returns the text that names the address to sign in at, and the accounts. */
  async describe(urls: { product: string; panel: string }): Promise<string> {
    const people = this.#notes.people;
    const width = Math.max(0, ...people.map((person) => person.email.length));
    const accounts = people
      .slice(0, 4)
      .map((person) => `    ${person.email.padEnd(width)}  ${person.password}`);
    return [
      '',
      '  Keepsake is open, in a world of its own: no Twitch, no Steam, no payment, no mail leaves this machine.',
      '',
      `  The product        ${urls.product}`,
      `  The control panel  ${urls.panel}   (go live, chat, accept offers, read mail, move the clock)`,
      '',
      `  Sign in as the streamer or as one of twelve viewers (all of them in ${demoNotesFile(this.#dataFolder)}):`,
      ...accounts,
      '',
      ...(await this.#claimants()).map((name) => `  ${name} has a reward to claim.`),
      '  The README follows Demo viewer 01 to a first reward.',
      '',
      '  Ctrl-C ends everything.',
      '',
    ].join('\n');
  }

  /** The viewer of the past who has yet to claim, unless the reward was claimed or ran out. */
  async #claimants(): Promise<string[]> {
    const person = this.#notes.people.find(({ name }) => name === claimant);
    if (!person) return [];
    const { nowMs } = await this.#panel.get<World>('/world.json');
    const ready = await this.#database.read.$count(
      rewards,
      and(eq(rewards.userId, person.userId), is(rewards.state, 'promised'), gt(rewards.claimUntilMs, nowMs)),
    );
    return ready > 0 ? [person.name] : [];
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #write(changes: Partial<DemoNotes>): void {
    this.#notes = { ...this.#notes, ...changes };
    writeDemoNotes(this.#dataFolder, this.#notes);
  }
}
