import { expect, onTestFinished, test, vi } from 'vitest';
import {
  classifyActionError,
  classifyReadError,
  DeadlineError,
  type SteamError,
  withDeadline,
} from '#bot/steam/steam-failure.ts';

const error = (message: string, facts: Partial<SteamError> = {}): SteamError =>
  Object.assign(new Error(message), facts);

const refusals: [string, SteamError, code: string, retry: string][] = [
  ['the partner’s trade ban', error('x', { cause: 'TradeBan' }), 'tradeBanned', 'never'],
  ['a new device', error('x', { cause: 'NewDevice' }), 'botRestricted', 'afterHuman'],
  ['a partner who cannot trade', error('x', { cause: 'TargetCannotTrade' }), 'partnerCannotTrade', 'never'],
  ['too many offers', error('x', { cause: 'OfferLimitExceeded' }), 'offerLimit', 'later'],
  ['an absent item server', error('x', { cause: 'ItemServerUnavailable' }), 'steamUnavailable', 'later'],
  ['result 26', error('x', { eresult: 26 }), 'itemUnavailable', 'never'],
  ['result 50 as a string', error('x', { eresult: '50' }), 'offerLimit', 'later'],
  ['result 84', error('x', { eresult: 84 }), 'sendingLimited', 'later'],
  ['status 429', error('HTTP error 429'), 'sendingLimited', 'later'],
  ['result 10', error('x', { eresult: 10 }), 'steamBusy', 'unknown'],
  ['result 34', error('x', { eresult: 34 }), 'botRenamed', 'unknown'],
  ['an unknown number', error('x (77)', { eresult: 77 }), 'answerLost', 'unknown'],
  ['friends only', error('Offers to this account can only be sent to friends.'), 'friendsOnly', 'never'],
  ['result 24', error('x', { eresult: 24 }), 'botRestricted', 'afterHuman'],
  ['a refused connection', error('x', { code: 'ECONNREFUSED' }), 'steamUnavailable', 'later'],
  ['an unknown host', error('getaddrinfo ENOTFOUND steam'), 'steamUnavailable', 'later'],
  ['a lost session', error('Not Logged In'), 'steamSessionLost', 'later'],
  [
    'the bot’s own ban',
    error('You cannot trade because you have a trade ban.'),
    'botRestricted',
    'afterHuman',
  ],
];
test.each(refusals)('%s proves that nothing was sent', (_what, thrown, code, retry) => {
  expect(classifyActionError(thrown)).toMatchObject({ ok: false, code, retry, detail: thrown.message });
});

const doubtful: [string, SteamError][] = [
  ['result 2', error('x', { eresult: 2 })],
  ['result 16', error('x', { eresult: 16 })],
  ['result 20', error('x', { eresult: 20 })],
  ['result 55', error('x', { eresult: 55 })],
  ['an unknown cause', error('x', { cause: 'Novelty' })],
  ['a reset connection', error('read', { code: 'ECONNRESET' })],
  ['a gateway’s error', error('HTTP error 502')],
  ['a quoted session error', error('Steam said: Not Logged In')],
  ['a quoted ban', error('They say: You cannot trade because you have a trade ban')],
];
test.each(doubtful)('After %s the offer may exist', (_what, thrown) => {
  const failed = { ok: false, code: 'answerLost', retry: 'unknown', detail: thrown.message };
  expect(classifyActionError(thrown)).toMatchObject(failed);
});

test('Of all errors of a call those without any word of Steam are told apart', () => {
  const ofNetwork: SteamError[] = [
    new DeadlineError(45_000),
    error('read', { code: 'ECONNRESET' }),
    error('connect ECONNREFUSED 127.0.0.1:443'),
    error('ESOCKETTIMEDOUT'),
    error('socket hang up'),
    error('HTTP error 502'),
    error('Malformed JSON response'),
  ];
  for (const thrown of ofNetwork)
    expect(classifyActionError(thrown), thrown.message).toMatchObject({ isUnanswered: true });
  const ofSteam: SteamError[] = [
    error('HTTP error 429'),
    error('HTTP error 403'),
    error('There was an error sending your trade offer. The request timed out. (16)', { eresult: 16 }),
    error('Our servers timed out', { cause: 'ItemServerUnavailable' }),
    error('EVERYTHING about this trade is odd'),
    error('Not Logged In'),
  ];
  for (const thrown of ofSteam)
    expect(classifyActionError(thrown), thrown.message).not.toHaveProperty('isUnanswered');
});

const reads: [message: string, code: string, retry: string][] = [
  ['HTTP error 429', 'steamBusy', 'later'],
  ['HTTP error 401', 'steamSessionLost', 'later'],
  ['API key or access token is not set yet', 'steamSessionLost', 'later'],
  ['HTTP error 500', 'steamUnavailable', 'later'],
  ['Malformed response', 'steamUnavailable', 'later'],
];
test.each(reads)('A read that fails with “%s” has changed nothing', (message, code, retry) => {
  expect(classifyReadError(error(message))).toEqual({ ok: false, code, retry, detail: message });
});

test('Only Steam’s empty refusal says that an inventory is private', () => {
  const refused = Object.assign(error('HTTP error 403'), { isPrivate: true });
  expect(classifyReadError(refused)).toMatchObject({ code: 'inventoryPrivate', retry: 'never' });
  expect(classifyReadError(error('HTTP error 403'))).toMatchObject({ code: 'steamUnavailable' });
});

test('A call is waited for until its deadline, and one that has ended leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await withDeadline(Promise.resolve('answer'), 100)).toBe('answer');
  await expect(withDeadline(Promise.reject(new Error('refused')), 100)).rejects.toThrow('refused');
  expect(vi.getTimerCount()).toBe(0);
  const late = withDeadline(new Promise(() => {}), 100);
  const ended = expect(late).rejects.toThrow(DeadlineError);
  vi.advanceTimersByTime(99);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  await ended;
});
