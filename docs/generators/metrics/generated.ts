import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Metric, type MetricSource, metricTable } from '@model-gateway/service';
import { replaceTable, writeTable } from '../limits/table.ts';

const path = join(import.meta.dirname, '../../metrics.md');

/** The tables of the page, each with the metrics whose first source it is. */
const sources: MetricSource[] = ['ingress', 'realtime', 'worker', 'control', 'every process'];

/** `docs/metrics.md` with the metrics of the code. */
export function generated(): { path: string; text: string } {
  const text = sources.reduce(
    (page, source) =>
      replaceTable(page, `<!-- metrics of ${source}: made by npm run docs -->`, tableOf(source)),
    readFileSync(path, 'utf8'),
  );
  return { path, text };
}

function tableOf(source: MetricSource): string {
  const metrics: [name: string, metric: Metric][] = Object.entries(metricTable);
  const rows = metrics
    .filter(
      ([
        ,
        {
          sources: [first],
        },
      ]) => first === source,
    )
    .map(([name, { type, unit, labels, help }]) => [
      `\`${name}\``,
      type,
      labels.map(label => `\`${label}\``).join(', '),
      unit === '1' ? '0 or 1' : unit,
      help,
    ]);
  return writeTable([['metric', 'type', 'labels', 'unit', ''], ...rows]);
}
