import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { collectorBuilder } from './collector.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) =>
  parse(readFileSync(join(root, path), 'utf8'), { merge: true, maxAliasCount: -1 });

interface ComposeService {
  image: string;
  profiles?: string[];
  restart: string;
  volumes?: unknown[];
  environment?: Record<string, string>;
}

const services: Record<string, ComposeService> = read('docker-compose.yml').services;
const telemetry = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('telemetry'));

test('Prometheus scrapes every long-running service of the gateway, and no other', () => {
  const gateway = Object.entries(services)
    .filter(([, { image, restart }]) => image.includes('GATEWAY_IMAGE') && restart !== 'no')
    .map(([name]) => name);
  const [
    {
      dns_sd_configs: [{ names }],
    },
  ] = read('deploy/telemetry/prometheus.yml').scrape_configs;
  expect(names.toSorted()).toEqual(gateway.toSorted());
});

test.each(telemetry)('%s has a pinned image, and files that exist', (_, { image, volumes = [] }) => {
  expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
  for (const volume of volumes) {
    const [source = ''] = String(volume).split(':');
    if (source.startsWith('./deploy/telemetry/')) expect(read(source)).toBeTypeOf('object');
  }
});

test("the tests' collector has the version of the profile's", () => {
  const [, version] = services['otel-collector']?.image.split(':') ?? [];
  const { receivers, processors, exporters } = read('test/telemetry/otelcol.yaml');
  for (const { gomod } of [...receivers, ...processors, ...exporters])
    expect(gomod).toMatch(new RegExp(` v${version}$`));
  expect(collectorBuilder).toMatch(new RegExp(`@v${version}$`));
});

test('Grafana has the data sources that the dashboards need', () => {
  const { datasources } = read('deploy/telemetry/datasources.yaml');
  expect(datasources.map(({ type }: { type: string }) => type)).toEqual(['prometheus', 'tempo']);
});

test('those who reach Grafana may change nothing, unless that is set', () => {
  expect(services.grafana?.environment?.GF_AUTH_ANONYMOUS_ORG_ROLE).toBe(`$\{GRAFANA_ROLE:-Viewer}`);
});
