import { ReadableStream, TextEncoderStream } from 'node:stream/web';
import type { Page } from '#domain/kernel/page.ts';
import { harmless, harmlessJson } from '#platform/harmless.ts';

type ExportRow = Record<string, string | number | null>;
export const exportFormats = ['csv', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

const types = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' };
/** Without it spreadsheets misread UTF-8. */
const byteOrderMark = '\uFEFF';

/** Signs that begin a formula, also in full width, which spreadsheets read alike. */
const formula = /^\s*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A quoted cell. A value that a spreadsheet would read as a formula gets a leading apostrophe. */
export function csvCell(value: string | number | null): string {
  const text = value === null ? '' : harmless(String(value));
  const plain = typeof value === 'string' && formula.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
}

const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;

async function* write(
  format: ExportFormat,
  columns: readonly string[],
  read: (after: string | null) => Promise<Page<ExportRow>>,
): AsyncGenerator<string> {
  yield format === 'csv' ? byteOrderMark + csvLine(columns) : '[';
  let isFirst = true;
  let after: string | null = null;
  do {
    const page = await read(after);
    const lines = page.rows.map((row) => {
      if (format === 'csv') return csvLine(columns.map((column) => row[column] ?? null));
      const comma = isFirst ? '\n' : ',\n';
      isFirst = false;
      return comma + harmlessJson(row);
    });
    if (lines.length > 0) yield lines.join('');
    after = page.next;
  } while (after !== null);
  if (format === 'json') yield '\n]\n';
}

/** A whole list as a file, read page by page while it is sent. */
export function streamRows(
  name: string,
  format: ExportFormat,
  columns: readonly string[],
  read: (after: string | null) => Promise<Page<ExportRow>>,
): Response {
  const body = ReadableStream.from(write(format, columns, read)).pipeThrough(new TextEncoderStream());
  return new Response(body as BodyInit, {
    headers: {
      'Content-Type': types[format],
      'Content-Disposition': `attachment; filename="${name}.${format}"`,
      'Cache-Control': 'no-store',
    },
  });
}
