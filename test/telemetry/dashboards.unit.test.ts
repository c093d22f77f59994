import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dashboards } from './files.ts';

const profile = resolve(import.meta.dirname, '../../deploy/telemetry/datasources.yaml');
/** The types of the data sources in the Compose profile, and Loki, which operators add. */
const dataSources = [
  ...parse(readFileSync(profile, 'utf8')).datasources.map(({ type }: { type: string }) => type),
  'loki',
];
/** Grafana's grid has this many columns. */
const columns = 24;
/** Panels of Grafana itself: https://grafana.com/docs/grafana/latest/panels-visualizations/visualizations/ */
const panelTypes = 'row text stat gauge bargauge timeseries barchart table heatmap logs piechart'.split(' ');

describe.each(dashboards)('$file', ({ panels, templating, links, tags, ...rest }) => {
  const variables = templating.list;

  test('has every variable that it names, and names each', () => {
    const text = JSON.stringify({ panels, templating, rest });
    const named = new Set([...text.matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name));
    const own = [...named].filter(name => !name.startsWith('__'));
    expect(own.toSorted()).toEqual(variables.map(({ name }) => name).toSorted());
  });

  test('reads from data sources that exist, by the variable of their type', () => {
    const types = Object.fromEntries(
      variables.filter(({ type }) => type === 'datasource').map(({ name, query }) => [name, query]),
    );
    for (const type of Object.values(types)) expect(dataSources).toContain(type);
    for (const { title, datasource, targets = [] } of panels)
      for (const { type, uid } of [datasource, ...targets.map(target => target.datasource)].filter(
        source => source !== undefined,
      ))
        expect(types[uid.replace(/^\$\{(\w+)\}$/, '$1')], title).toBe(type);
  });

  test('has panels that Grafana knows, beside each other, with different ids of their queries', () => {
    const taken = new Set<string>();
    for (const { title, type, gridPos, targets = [] } of panels) {
      expect(panelTypes, title).toContain(type);
      const { x, y, w, h } = gridPos;
      expect(x + w, title).toBeLessThanOrEqual(columns);
      for (let column = x; column < x + w; column++)
        for (let line = y; line < y + h; line++) {
          expect(taken, title).not.toContain(`${column},${line}`);
          taken.add(`${column},${line}`);
        }
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    }
  });

  test('links to the dashboards of its own tag', () => {
    expect(links.map(link => [link.type, link.tags])).toEqual([['dashboards', tags]]);
  });
});
