import { afterEach, beforeEach } from 'vitest';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { addBot, addStreamer, type Person } from './fixtures.ts';

// What most tests of the domain begin with. Another test, another scene: read these inside a test or a hook.
export let database: TestDatabase;
export let botId: string;
export let streamer: Person;

/** Gives every test of the file a store of its own, with one bot that is ready and one streamer. */
export function setScene(): void {
  beforeEach(async () => {
    database = await openTestDatabase();
    botId = await addBot(database);
    streamer = await addStreamer(database);
  });
  afterEach(() => database.close());
}
