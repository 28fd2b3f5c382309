import { watchSteamAnswer } from '#bot/steam/answer-shapes.ts';
import type { SteamClients } from '#bot/steam/steam-clients.ts';

/** Reads JSON with the community client's own requests, which carry its proxy; `result` is Steam's own result code. */
export function getJson(
  community: SteamClients['community'],
  uri: string,
  query: Record<string, string | number>,
): Promise<{ body: unknown; result: string | undefined }> {
  const options = { uri, qs: query, json: true, gzip: true };
  return new Promise((resolve, reject) => {
    community.httpRequestGet(
      options as never,
      ((error: Error | null, response: { headers: Record<string, string | undefined> }, body: unknown) => {
        if (error)
          return reject(
            Object.assign(error, { isPrivate: /HTTP error 403/.test(error.message) && body === null }),
          );
        const read = { body, result: response.headers['x-eresult'] };
        watchSteamAnswer(uri, read);
        resolve(read);
      }) as never,
    );
  });
}

/** Posts a form to a method that reads, and reads JSON in the same way. */
export function postJson(
  community: SteamClients['community'],
  uri: string,
  { query, form }: { query: Record<string, string>; form: Record<string, string> },
): Promise<{ body: unknown }> {
  return new Promise((resolve, reject) => {
    community.httpRequestPost(
      { uri, qs: query, form, json: true, gzip: true } as never,
      ((error: Error | null, _response: unknown, body: unknown) =>
        error ? reject(error) : resolve({ body })) as never,
    );
  });
}

/** Reads a page of Steam as the signed-in account. */
export const getPage = (community: SteamClients['community'], uri: string): Promise<string> =>
  new Promise((resolve, reject) => {
    community.httpRequestGet(
      { uri, gzip: true } as never,
      ((error: Error | null, _response: unknown, body: unknown) =>
        error ? reject(error) : resolve(String(body))) as never,
    );
  });

/** Returns whether a Web API answer has anything besides its frame. */
export const hasContent = (body: unknown): boolean => {
  const { response } = (body ?? {}) as { response?: object };
  return response !== undefined && Object.keys(response).length > 0;
};
