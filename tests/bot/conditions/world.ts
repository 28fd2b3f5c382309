import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { startSteam } from '#bot/steam/start-steam.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, second } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { createRule, type RuleDraft } from '#domain/rule/create-rule.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { startSteam as serveSteam } from '#sandbox/steam/server.ts';
import type { ItemKind } from '#sandbox/steam/state.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { addTwitchPerson, botLogin, grantOf, setStage, until } from '#tests/bot/twitch/stage.ts';
import { draft } from '#tests/support/fixtures.ts';
import { heldLease } from '#tests/support/leases.ts';
import { transferOf } from '#tests/support/looking.ts';
import { assetOf, hat, hurriedPace } from '#tests/support/steam-stage.ts';

const scarf: ItemKind = {
  ...hat,
  classid: '444',
  name: 'Demo Scarf',
  market_name: 'Demo Scarf',
  market_hash_name: 'Demo Scarf',
};

/**
 * The whole sandbox and the whole bot: Twitch and Steam, chat and trade offers, with one clock that only the test
 * advances.
 */
export async function setWorld() {
  // Steam's packages ask for changes since a little while ago; Twitch's times are whole seconds.
  const stage = await setStage({ startMs: Math.ceil(Date.now() / second) * second });
  const { db, clock, vault } = stage;
  const steam = new SteamWorld({ now: clock.now });
  for (const kind of [hat, scarf]) steam.describe(kind);
  const secret = () => randomBytes(20).toString('base64');
  const login = {
    accountName: 'demo_bot',
    password: 'demo password',
    sharedSecret: secret(),
    identitySecret: secret(),
  };
  const tradeBot = steam.addUser({ name: 'Demo bot', login });
  const directory = 'node_modules/.cache/keepsake-test-ca';
  const served = await serveSteam({ world: steam, directory, proxyPort: 0, httpPort: 0 });
  onTestFinished(() => served.close());

  const chatter = stage.world.addUser({ login: botLogin });
  const grant = grantOf(stage, chatter.id, ['chat:read', 'chat:edit']);
  await connectChatAccount(db, { vault, twitchId: chatter.id, login: chatter.login, grant });

  const twitchPart = await stage.startBot();
  const bots = [
    {
      name: 'bot-1',
      refreshToken: issueToken(steam.state, tradeBot, 'refresh'),
      identitySecret: login.identitySecret,
    },
  ];
  const config = { ...stage.deps.config, steam: { bots, httpProxy: served.proxyUrl } };
  const steamPart = startSteam(
    { ...stage.deps, config, lease: heldLease(stage.db) },
    hurriedPace,
    twitchPart.readStanding,
  );
  onTestFinished(() => steamPart.stop());
  await until(
    () => steamPart.report().steam?.state,
    (state) => state === 'ready',
  );

  return {
    ...stage,
    twitch: stage.world,
    steam,
    chatterId: chatter.id,
    /** A person with an account here, on Twitch and on Steam. */
    async addSomebody(facts: { streams?: boolean } = {}) {
      const person = await addTwitchPerson(stage, facts);
      const accountId = Number(BigInt(person.steamId) - 76561197960265728n);
      steam.addUser({ name: person.login, accountId, tradeToken: 'tokenABC' });
      return person;
    },
  };
}

export type World = Awaited<ReturnType<typeof setWorld>>;
export type Somebody = Awaited<ReturnType<World['addSomebody']>>;

/** A streamer opens a rule with rewards of two kinds, deposited through Steam and no longer locked. */
export async function openRule(
  world: World,
  streamer: Somebody,
  {
    rewards,
    paidDrawsAllowed = false,
    ...asked
  }: Partial<RuleDraft> & { rewards: number; paidDrawsAllowed?: boolean },
): Promise<string> {
  await depositItems(world, streamer, rewards);
  const { db, clock } = world;
  const { userId } = streamer;
  const requestId = newId(clock.now());
  const opened = await createRule(
    db,
    { requestId, userId, draft: draft(asked), paidDrawsAllowed },
    clock.now(),
  );
  if (!opened.ok) throw new Error(`the rule was refused: ${opened.code}`);
  const kinds = [
    { appId: hat.appid, marketHashName: hat.name, quantity: Math.ceil(rewards / 2) },
    { appId: scarf.appid, marketHashName: scarf.name, quantity: Math.floor(rewards / 2) },
  ];
  const attached = await attachRewards(db, { ruleId: requestId, userId, kinds }, clock.now());
  if (!attached.ok) throw new Error(`attaching was refused: ${attached.code}`);
  return requestId;
}

async function depositItems(world: World, streamer: Somebody, pieces: number): Promise<void> {
  const { db, clock, steam } = world;
  const assets = Array.from({ length: pieces }, (_, place) => {
    const kind = place % 2 === 0 ? hat : scarf;
    return assetOf(steam.give(streamer.steamId, kind), kind);
  });
  const requestId = newId(clock.now());
  const asked = await requestDeposit(
    db,
    { requestId, userId: streamer.userId, assets },
    clock.now(),
    Date.now(),
  );
  if (!asked.ok) throw new Error(`the deposit was refused: ${asked.code}`);
  await acceptOffer(world, streamer, requestId);
  world.advance(8 * day);
}

/** Accepts a transfer's offer on Steam once it is sent, and waits until this is recorded. */
export async function acceptOffer(
  world: World,
  who: Pick<Somebody, 'steamId'>,
  transferId: string,
): Promise<void> {
  const transfer = () => transferOf(world.db, transferId);
  const { offerId } = await until(transfer, ({ state }) => state === 'sent');
  const accepted = world.steam.accept(offerId ?? '', who.steamId);
  if (!accepted.ok) throw new Error('Steam did not take the acceptance');
  await until(transfer, ({ state }) => state === 'accepted' || state === 'settled');
}
