import { resolve } from 'node:path';
import { type ReasonMeaning, reasonLists } from '@model-gateway/formats/upstream';
import { rateLimitHeaders } from '@model-gateway/providers/rate-limit-headers';
import { type RefusalMeaning, refusals } from '@model-gateway/providers/refusals';
import { writeTable } from '../limits/table.ts';

/** The file that holds the page. */
export const path = resolve(import.meta.dirname, '../../finish-reasons.md');

/** Renders the finish reasons and refusals that are known as a page. */
export function page(): string {
  return `# Finish reasons and refusals

<!-- Written by npm run docs from shared/formats/src and shared/providers/src. Change the code, not this file. -->

Servers give ends and refusals names of their own. The gateway knows those below, wherever they arrive, since relays pass on those of other servers.

## Finish reasons

An answer that failed is sent again, to another target too, if nothing of it was shown; else it ends in an error. A reason that is not in the list is a cut. It is
logged and counted in [\`gateway_unknown_finish_reasons_total\`](metrics.md).

${writeTable([['of', 'finish reason', 'meaning', 'source'], ...reasonLists.flatMap(reasonRows)])}

## Refusals

A refusal means what its status says, unless it has a code below, or words. [Errors](errors.md#what-an-upstreams-error-means) says what clients see. The words are patterns
(\`shared/providers/src/refusals/\`), so the table has only the number of them.

${writeTable([['meaning', 'of', 'codes and types', 'words', 'source'], ...Object.entries(refusals).flatMap(refusalRows)])}

## Resets of limits

A 429 without \`retry-after\` has the time of these headers: that of the limit of which nothing remains, else the shortest.

${writeTable([['header', 'source'], ...rateLimitHeaders.map(({ reset, source }) => [code(reset), link(source)])])}
`;
}

const meanings: Record<Extract<ReasonMeaning, string>, string> = {
  stop: 'ordinary end',
  'stop-sequence': 'ordinary end, at a stop sequence',
  length: 'cut: too long',
  'tool-calls': 'calls',
  'content-filter': 'filtered',
  refusal: 'refused by the model',
  pause: 'to be continued',
  other: 'cut; failed if there is no content',
};

function reasonRows({ of, source, reasons }: (typeof reasonLists)[number]): string[][] {
  const byMeaning = Map.groupBy(Object.entries(reasons), ([, meaning]) =>
    typeof meaning === 'string' ? meanings[meaning] : `failed: ${meaning.fails}`,
  );
  return [...byMeaning].map(([meaning, entries]) => [
    of,
    entries.map(([reason]) => code(reason)).join(', '),
    meaning,
    link(source),
  ]);
}

function refusalRows([meaning, rows]: [string, (typeof refusals)[RefusalMeaning]]): string[][] {
  return rows.map(({ of, codes = [], words = [], source }) => [
    meaning,
    of,
    codes.map(code).join(', '),
    words.length > 0 ? String(words.length) : '',
    link(source),
  ]);
}

function code(text: string): string {
  return `\`${text}\``;
}

function link(source: string): string {
  const [address = '', ...rest] = source.split(' ');
  return [`<${address}>`, ...rest].join(' ');
}
