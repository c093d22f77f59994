import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parse } from 'yaml';

const deploy = resolve(import.meta.dirname, '../../deploy');

/** A rule of the alerts file. */
export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

export const alertsFile = join(deploy, 'alerts/model-gateway.yml');
const rules: { groups: { rules: AlertRule[] }[] } = parse(readFileSync(alertsFile, 'utf8'));
export const alerts: readonly AlertRule[] = rules.groups.flatMap(group => group.rules);

/** The data source of a panel or query: its type, and the variable that selects it. */
interface DataSource {
  type: string;
  uid: string;
}

/** A panel of a dashboard, as far as the tests read it. */
interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: { defaults: { unit?: string } };
  datasource?: DataSource;
  targets?: { expr?: string; query?: string; refId: string; datasource: DataSource }[];
}

interface Dashboard {
  file: string;
  uid: string;
  title: string;
  schemaVersion: number;
  tags: string[];
  templating: { list: { name: string; type: string; query: unknown; definition?: string }[] };
  links: { type: string; tags: string[] }[];
  panels: Panel[];
}

export const dashboards: readonly Dashboard[] = globSync('dashboards/*.json', { cwd: deploy })
  .toSorted()
  .map(path => ({ ...JSON.parse(readFileSync(join(deploy, path), 'utf8')), file: basename(path) }));

/** A query for Prometheus, and where it stands. */
export interface Query {
  place: string;
  expr: string;
}

/** The queries of all dashboards, with each variable set to everything and each window to `window`. */
export function dashboardQueries(window: string): Query[] {
  return dashboards.flatMap(({ file, panels }) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets
        .filter(({ datasource }) => datasource.type === 'prometheus')
        .map(({ expr = '' }) => ({ place: `${file}: ${title}`, expr: withVariables(expr, window) })),
    ),
  );
}

function withVariables(expr: string, window: string): string {
  return expr.replaceAll(/\$__(rate_interval|range)/g, window).replaceAll(/\$\w+/g, '.*');
}

/** The names of the metrics in a query, without the suffixes of a histogram. */
export function metricsIn(expr: string): string[] {
  const names = expr.match(/\b(gateway|process|nodejs)_[a-z0-9_]+\b/g) ?? [];
  return names.map(name => name.replace(/(_seconds)_(bucket|count|sum)$/, '$1'));
}
