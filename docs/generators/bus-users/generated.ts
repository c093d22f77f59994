import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  abilitiesOf,
  type BusService,
  busServices,
  busUser,
  permissionsOf,
  subjectsOf,
} from '@model-gateway/bus';
import { replaceTable, writeTable } from '../limits/table.ts';

const root = join(import.meta.dirname, '../../..');
/** Placeholder for the name of a pool. */
const pool = '{pool}';

/** The NATS users in the chart and the docs, generated from `shared/bus/src/permissions.ts`. */
export function generated(): { path: string; text: string }[] {
  const page = join(root, 'docs/bus.md');
  return [
    { path: join(root, 'deploy/helm/model-gateway/files/bus-users.json'), text: usersFile() },
    { path: page, text: replaceTable(readFileSync(page, 'utf8'), begin, table()) },
  ];
}

function usersFile(): string {
  const users = busServices.map(service => [service, permissionsOf(service, pool)]);
  return `${JSON.stringify(Object.fromEntries(users), null, 2)}\n`;
}

const begin = '<!-- made by npm run docs -->';

/** A row for each action on the bus. */
function table(): string {
  const abilities = [...new Set(busServices.flatMap(service => abilitiesOf[service]))];
  const rows = abilities.map(ability => {
    const users = busServices.filter(service => abilitiesOf[service].includes(ability));
    const { publish, subscribe } = subjectsOf(ability, { user: '<user>', pool: '<pool>' });
    return [ability, whose(users), list(publish), list(subscribe)];
  });
  return writeTable([['may', 'users', 'publishes', 'subscribes'], ...rows]);
}

/** The users, abbreviated if there are many. */
function whose(services: readonly BusService[]): string {
  const ingresses = busServices.filter(service => service.startsWith('ingress-'));
  const every = ingresses.every(service => services.includes(service));
  const named = services.filter(service => !every || !ingresses.includes(service));
  return [
    ...(every ? ['every ingress'] : []),
    ...named.map(service => `\`${busUser(service, '<pool>')}\``),
  ].join(', ');
}

function list(subjects: readonly string[]): string {
  return subjects.map(subject => `\`${subject}\``).join(' ');
}
