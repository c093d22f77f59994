import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** The formats of exports. */
export type ExportFormat = 'csv' | 'jsonl';

const exportMediaTypes: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

/** An export: the name of its file, the first line, and a line for each entry of the pages. */
interface Export<Entry> {
  name: string;
  format: ExportFormat;
  head: string;
  pages: AsyncGenerator<Entry[], unknown>;
  line(entry: Entry): string;
}

/** Sends an export. A query that fails is an error of its own only before anything is sent. */
export async function sendExport<Entry>(
  response: Response,
  { name, format, head, pages, line }: Export<Entry>,
): Promise<void> {
  const first = await pages.next();
  response
    .status(200)
    .set('content-type', exportMediaTypes[format])
    .set('content-disposition', `attachment; filename="${name}.${format}"`)
    // It may take long until the first entry that a filter names.
    .flushHeaders();
  const text = async function* () {
    yield head;
    for (let page = first; !page.done; page = await pages.next())
      yield (page.value as Entry[]).map(line).join('');
  };
  await pipeline(Readable.from(text()), response as Writable).catch(() => response.destroy());
}
