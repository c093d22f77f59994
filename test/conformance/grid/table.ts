import { type Format, formats } from '../../stack/formats.ts';
import { aligned } from '../table.ts';
import { refusedField, representable, rulesOf, unsaid } from './rules.ts';
import type { ScenarioName } from './scenarios.ts';

const start = '<!-- grid: written by test/conformance/grid -->';
const end = '<!-- /grid -->';

/** The document with the table of what is carried, lost and refused. */
export function withGrid(document: string): string {
  const [before, rest] = document.split(start);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`the document lacks ${start} or ${end}`);
  return `${before}${start}\n\n${formats.map(section).join('\n\n')}\n\n${end}${after}`;
}

function section(client: Format): string {
  const others = formats.filter(format => format !== client);
  const rows = representable(client).map(name => [
    name,
    ...others.map(upstream => cell(name, client, upstream)),
  ]);
  const bent = rows.filter(([, ...cells]) => cells.some(text => text !== carried));
  const whole = rows.filter(row => !bent.includes(row)).map(([name]) => name);
  return [
    `### A client of ${client}`,
    `Carried to all: ${whole.join('; ')}.`,
    aligned([['what', ...others.map(upstream => `to ${upstream}`)], ...bent]),
    `Not in the format: ${unsaid[client].join('; ')}.`,
  ].join('\n\n');
}

const carried = 'carried';

function cell(name: ScenarioName, client: Format, upstream: Format): string {
  const told = rulesOf(name, { client, upstream }).map(rule => {
    const field = refusedField(rule, client);
    return field ? `400 \`${field}\`: ${rule.how}` : rule.how;
  });
  return told.join('; ') || carried;
}
