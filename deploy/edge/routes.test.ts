import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { matchRoute, routes } from '@model-gateway/ingress';
import { TrustedProxies } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { routesMap } from './routes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const map = 'deploy/edge/routes.map';

test('routes.map matches the route table', () => {
  if (process.env.UPDATE) writeFileSync(`${root}/${map}`, routesMap());
  expect(read(map)).toBe(routesMap());
});

test.each([
  ['POST', '/v1/chat/completions'],
  ['GET', '/v1/chat/completions'],
  ['HEAD', '/v1/models'],
  ['GET', '/v1/models/openai%2Fgpt/x:y'],
  ['POST', '/v1/models/openai%2Fgpt'],
  ['POST', '/v1beta/models/a/b:streamGenerateContent'],
  ['GET', '/v1beta/models/a:generateContent'],
  ['POST', '/upload/v1beta/files'],
  ['DELETE', '/api/v1/tokens/1'],
  ['GET', '/console'],
  ['GET', '/readyz'],
  ['GET', '/readyz/x'],
  ['GET', '/v1//models'],
  ['POST', '/openai/deployments/house/gpt/chat/completions'],
  ['POST', '/v1beta/openai/embeddings'],
  ['POST', '/v1/v1/messages/'],
  ['POST', '//models/m:generateContent'],
])('routes.map and the route table agree on %s %s', (method, path) => {
  const lines = routesMap().split('\n').slice(1, -1);
  const found = lines.find(text => new RegExp(text.split(' ')[0] as string).test(method + path));
  expect(found?.split(' ')[1]).toBe(matchRoute(method, path));
});

const backends = [...read('deploy/edge/haproxy.cfg').matchAll(/^backend (\S+)$/gm)].map(match => match[1]);
const served = [...new Set(routes.map(route => route.service))].filter(
  service => service === 'edge' || existsSync(`${root}/services/${service}`),
);

/** The file has more aliases than the library takes for one of a stranger. */
const yaml = { merge: true, maxAliasCount: -1 };

test('services trust the address of the edge, which no other container can get', () => {
  const { services, networks } = parse(read('docker-compose.yml').replace(/\$\{\w+:-([^}]*)\}/g, '$1'), yaml);
  const { ipv4_address: edge } = services.edge.networks.default;
  const { subnet, ip_range: range } = networks.default.ipam.config[0];
  const has = (ranges: string[], text: string) => new TrustedProxies(ranges).has({ text, family: 'ipv4' });
  expect([has([subnet], edge), has([range], edge)]).toEqual([true, false]);
  for (const name of served.filter(service => service !== 'edge' && service !== 'console'))
    expect([name, services[name].environment.GATEWAY_TRUSTED_PROXIES.split(',')[0]]).toEqual([name, edge]);
});

test('every existing service of the route table has a backend and a container', () => {
  expect(backends.toSorted()).toEqual(served.toSorted());
  expect(Object.keys(parse(read('docker-compose.yml'), yaml).services)).toEqual(
    expect.arrayContaining(served),
  );
});
