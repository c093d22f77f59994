import { type Format, faults, formats } from './faults.ts';
import { nameOf, type Seen } from './see.ts';

/** What clients saw of a fault, by the way they asked. */
export interface Sighting {
  client: Format;
  upstream: Format;
  stream: boolean;
  seen: Seen;
}

const start = '<!-- faults: written by test/conformance -->';
const end = '<!-- /faults -->';

const columns = formats.flatMap(client => [false, true].map(stream => ({ client, stream })));

/** The document with what was seen between its marks. */
export function withTable(document: string, seen: ReadonlyMap<string, Sighting[]>): string {
  const [before, rest] = document.split(start);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`the document lacks ${start} or ${end}`);
  return `${before}${start}\n\n${table(seen)}\n\n${end}${after}`;
}

function table(seen: ReadonlyMap<string, Sighting[]>): string {
  const head = [
    'upstream',
    ...columns.map(({ client, stream }) => `${client}, ${stream ? 'streamed' : 'whole'}`),
  ];
  const rows = [...seen].map(([fault, sightings]) => [
    `\`${fault}\``,
    ...columns.map(({ client, stream }) =>
      cell(
        fault,
        sightings.filter(sighting => sighting.client === client && sighting.stream === stream),
      ),
    ),
  ]);
  const [first, ...others] = aligned([head, ...rows]);
  return [first, first?.replace(/[^|]/g, '-').replaceAll('|-', '| ').replaceAll('-|', ' |'), ...others].join(
    '\n',
  );
}

/** One answer where the upstream's format makes no difference. */
function cell(fault: string, sightings: Sighting[]): string {
  const told = sightings.map(sighting => ({ upstream: sighting.upstream, words: words(fault, sighting) }));
  const distinct = new Set(told.map(({ words }) => words));
  if (distinct.size === 1) return [...distinct].join();
  return told.map(({ upstream, words }) => `of ${upstream}: ${words}`).join('; ');
}

function words(fault: string, { stream, seen: { status, error, retryAfter, text } }: Sighting): string {
  if (!error) return 'good';
  const name = `\`${nameOf(error)}\``;
  if (text !== '') return `text, then ${name}`;
  // How far the stream had come is a matter of time.
  if (stream && faults[fault]?.opened) return name;
  return `${status} ${name}${retryAfter ? `, after ${retryAfter} s` : ''}`;
}

function aligned(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map(row => row[i]?.length ?? 0))) ?? [];
  return rows.map(row => `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`);
}
