import { type BenchReport, type Cost, costs, memoryRows } from './report.ts';
import type { Scenario } from './scenarios.ts';

/** Returns a bench's figures as an HTML page with plots, which needs no other file. */
export function page({ machine, quiet, results, memory }: BenchReport): string {
  const plots = results.map(result => section(result.scenario, costs(result)));
  const state = quiet
    ? 'Nothing else used the machine.'
    : 'Other work used the machine: only ratios within this run mean something.';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>What a request costs</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; margin: 0.5rem 0; }
  td, th { padding: 0.1rem 0.9rem 0.1rem 0; text-align: left; font-variant-numeric: tabular-nums; }
  svg { display: block; }
</style>
<h1>What a request costs</h1>
<p>${escapeHtml(machine)}. ${state}
The yardstick is a bare forward in Node; the ratio to it can be compared between machines.</p>
${plots.join('\n')}
<h2>Memory at the end</h2>
${bars(memoryRows(memory).map(([name, mb]) => ({ label: name, value: mb, text: `${mb.toFixed(0)} MiB` })))}
</html>
`;
}

function section({ name, title, paced }: Scenario, costs: readonly Cost[]): string {
  const unit = paced ? 'µs of CPU a chunk' : 'ms of CPU a request';
  const plotted = costs.map(({ target, cpu, ratio }) => ({
    label: target,
    value: cpu,
    text: `${cpu.toPrecision(3)} (${ratio.toFixed(2)})`,
  }));
  const rows = costs.map(({ target, addedMs, gapP99Ms, peakMb }) => {
    const cells = [target, addedMs.toFixed(2), paced ? gapP99Ms.toFixed(1) : '', peakMb.toFixed(0)];
    return `<tr>${cells.map(cell => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
  });
  return `<h2>${escapeHtml(name)}</h2>
<p>${escapeHtml(title)}: ${unit}, in brackets the ratio to the yardstick</p>
${bars(plotted)}
<table>
<tr><th></th><th>added, ms</th><th>gap p99, ms</th><th>memory, MiB</th></tr>
${rows.join('\n')}
</table>`;
}

interface Bar {
  label: string;
  value: number;
  text: string;
}

const rowHeight = 24;
const labelWidth = 120;
const plotWidth = 500;

function bars(all: readonly Bar[]): string {
  const most = Math.max(...all.map(({ value }) => value), Number.MIN_VALUE);
  const rows = all.map(({ label, value, text }, i) => {
    const y = i * rowHeight;
    const width = (value / most) * plotWidth;
    return `<text x="0" y="${y + 16}">${escapeHtml(label)}</text>
<rect x="${labelWidth}" y="${y + 3}" width="${width.toFixed(1)}" height="${rowHeight - 6}" fill="#4c6ef5"/>
<text x="${(labelWidth + width + 6).toFixed(1)}" y="${y + 16}">${escapeHtml(text)}</text>`;
  });
  const width = labelWidth + plotWidth + 160;
  return `<svg width="${width}" height="${all.length * rowHeight}" role="img" font-size="13">
<title>A bar for each row: its name and its value</title>
${rows.join('\n')}
</svg>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
