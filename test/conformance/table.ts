import { type Format, formats } from '../stack/formats.ts';
import { faults } from './faults.ts';
import type { Seen } from './see.ts';

/** The observations of one fault, by client, stream and upstream. */
export interface Sighting {
  client: Format;
  upstream: Format;
  stream: boolean;
  seen: Seen;
}

const start = '<!-- faults: written by test/conformance -->';
const end = '<!-- /faults -->';

/** The document with the table of observations. */
export function withTable(document: string, seen: ReadonlyMap<string, Sighting[]>): string {
  const [before, rest] = document.split(start);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`the document lacks ${start} or ${end}`);
  return `${before}${start}\n\n${table(seen)}\n\n${end}${after}`;
}

function table(seen: ReadonlyMap<string, Sighting[]>): string {
  const rows = [...seen].map(([fault, sightings]) => [
    `\`${fault}\``,
    ...formats.map(client =>
      both(
        fault,
        sightings.filter(sighting => sighting.client === client),
      ),
    ),
  ]);
  return aligned([['upstream', ...formats.map(client => `client of ${client}`)], ...rows]);
}

/** The non-streamed observation, and the streamed one if it differs. */
function both(fault: string, sightings: Sighting[]): string {
  const [whole, streamed] = [false, true].map(stream =>
    cell(
      fault,
      sightings.filter(sighting => sighting.stream === stream),
    ),
  );
  return whole === streamed ? `${whole}` : `${whole}; streamed: ${streamed}`;
}

/** The observation of most upstream formats, then those that differ. */
function cell(fault: string, sightings: Sighting[]): string {
  const told = Map.groupBy(sightings, sighting => words(fault, sighting));
  const [[usual = ''] = [], ...others] = [...told].sort(
    ([, some], [, others]) => others.length - some.length,
  );
  const apart = others.map(([words, of]) => `of ${of.map(({ upstream }) => upstream).join(', ')}: ${words}`);
  return apart.length > 0 ? `${usual} (${apart.join('; ')})` : usual;
}

function words(fault: string, { stream, seen: { status, error, retryAfter, text } }: Sighting): string {
  if (!error) return 'good';
  const name = `\`${error.name}\``;
  if (text !== '') return `text, then ${name}`;
  // The part of a stream before a fault depends on timing.
  if (stream && faults[fault]?.opened) return name;
  return `${status} ${name}${retryAfter ? `, after ${retryAfter} s` : ''}`;
}

/** A table whose first row is its head, with aligned columns. */
export function aligned(rows: string[][]): string {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map(row => row[i]?.length ?? 0))) ?? [];
  const [head = '', ...others] = rows.map(
    row => `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`,
  );
  const line = head.replace(/[^|]/g, '-').replaceAll('|-', '| ').replaceAll('-|', ' |');
  return [head, line, ...others].join('\n');
}
