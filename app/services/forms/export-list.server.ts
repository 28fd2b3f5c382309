import { data, type RouterContextProvider } from 'react-router';
import { exportFormats, streamRows } from '#app/http/stream-rows.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { tooManyInit } from '#app/services/forms/form-reply.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import type { Page } from '#domain/kernel/page.ts';

const PAGE = 500;

/** A time in an exported row. */
export const isoOrNull = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

type Exported<Row> = {
  name: string;
  /** The file's columns, each with its value in a row. */
  columns: Record<string, (row: Row) => string | null>;
  list: (page: { userId: string; after: string | null; size: number }) => Promise<Page<Row>>;
};

/** Exports one of the visitor's lists as a file, in the format named in the address. */
export async function exportList<Row>(
  { request, context }: { request: Request; context: Readonly<RouterContextProvider> },
  { name, columns, list }: Exported<Row>,
): Promise<Response> {
  const { id: userId } = await requireVerifiedAccount(context);
  const wanted = new URL(request.url).searchParams.get('format');
  const format = exportFormats.find((each) => each === wanted);
  if (!format) throw data(null, { status: 404 });
  const wait = await waitSeconds('exportByAccount', userId);
  if (wait > 0) throw data(null, tooManyInit(wait));
  const cells = Object.entries(columns);
  return streamRows(name, format, Object.keys(columns), async (after) => {
    const { rows, next } = await list({ userId, after, size: PAGE });
    return { next, rows: rows.map((row) => Object.fromEntries(cells.map(([key, of]) => [key, of(row)]))) };
  });
}
