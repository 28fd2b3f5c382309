const DEADLINE_MS = 20_000;

/** The address of the bot's API, and its secret. */
export interface BotApi {
  url: string;
  secret: string;
}

/** Calls the bot's API. */
export const ask = ({ url, secret }: BotApi, path: string, method = 'GET'): Promise<Response> =>
  fetch(`${url}${path}`, {
    method,
    headers: { 'X-Bot-Secret': secret },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
