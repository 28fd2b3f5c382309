// The demo world: a streamer with items in and past their cooldown, and twelve viewers, created through the product's
// own API and by acting as the users on Twitch and Steam. Created once; later starts reuse it.
import { and, isNull, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { type DemoNotes, demoNotesFile, readDemoNotes, writeDemoNotes } from './demo-notes.ts';
import { DemoPanel, type World } from './panel.ts';
import { settle, settleChatAccount } from './people.ts';
import { type BotApi, stock } from './stock.ts';
import { sellDemoPlans, setUpDemoStripe } from './subscribe.ts';
import { until } from './until.ts';

const VIEWERS = 12;

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
    if (this.#notes.people.length > 0) return;
    console.log('Creating the demo world: signing up a streamer and twelve viewers …');
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
    const people = [];
    const streamer = {
      name: 'Demo streamer',
      login: 'demo_streamer',
      steamName: 'Demo streamer',
      isStreamer: true,
    };
    people.push(await settle(around, streamer));
    for (let number = 1; number <= VIEWERS; number++) {
      const place = String(number).padStart(2, '0');
      const viewer = {
        name: `Demo viewer ${place}`,
        login: `demo_viewer_${place}`,
        steamName: `Demo viewer ${number}`,
      };
      people.push(await settle(around, { ...viewer, isStreamer: false }));
    }
    this.#write({ people });
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

  /** Deposits items with the bots: some a week ago by the sandbox clock, some now. */
  async stockItems(bot: BotApi): Promise<void> {
    const streamer = this.#notes.people[0];
    if (!streamer || this.#notes.stocked) return;
    console.log('Creating the demo world: the streamer deposits items with the bots …');
    const world = await this.#panel.get<World>('/world.json');
    const steamId = world.steam.users.find((each) => each.name === streamer.name)?.steamId ?? '';
    const around = {
      db: this.#database,
      panel: this.#panel,
      bot,
      streamer: { userId: streamer.userId, steamId },
    };
    await stock(around, { appId: 730, perKind: 4, kinds: 8, skip: 0 });
    await this.#panel.post('/clock/advance', { days: 8, hours: 0, minutes: 0 });
    await stock(around, { appId: 730, perKind: 3, kinds: 3, skip: 8 });
    await this.#emptyInbox();
    this.#write({ stocked: true });
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
  describe(urls: { product: string; panel: string }): string {
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
      '  Ctrl-C ends everything.',
      '',
    ].join('\n');
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #write(changes: Partial<DemoNotes>): void {
    this.#notes = { ...this.#notes, ...changes };
    writeDemoNotes(this.#dataFolder, this.#notes);
  }
}
