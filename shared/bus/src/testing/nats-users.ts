import { readFileSync } from 'node:fs';
import { type NatsUser, natsAuthorization, natsUrlOf, natsUsers } from '../authorization.ts';
import { type BusService, busServices, busUser, permissionsOf } from '../permissions.ts';

const password = 'test';
/** The pools whose workers may connect. */
const pools = ['default', 'other'];
/** The name of a user that may do everything. */
const tester = 'tester';

/** The `authorization` block with the users of all services, as in production. Clients that give no user may do everything. */
export function testUsers(): string {
  return `${natsAuthorization(usersOf(''))}no_auth_user: ${tester}\n`;
}

/** The `accounts` block with the users of all services in each account. A server takes a name once, so each ends with its account's. */
export function testAccounts(names: readonly string[]): string {
  const accounts = names.map(name => `${name} { jetstream: enabled, ${natsUsers(usersOf(`-${name}`))} }\n`);
  return `accounts {\n${accounts.join('')}}\n`;
}

function usersOf(suffix: string): NatsUser[] {
  const services = busServices.flatMap(service =>
    (service === 'worker' ? pools : [undefined]).map(pool => {
      const user = busUser(service, pool) + suffix;
      return { user, password, permissions: permissionsOf(service, pool, user) };
    }),
  );
  const everything = { publish: ['>'], subscribe: ['>'] };
  return [...services, { user: tester + suffix, password, permissions: everything }];
}

/** The URL of an account, by which a client may do everything. */
export function accountUrl(url: string, account: string): string {
  return natsUrlOf(url, { user: `${tester}-${account}`, password });
}

/** The URL by which a service connects to a test's nats-server as its own user. */
export function urlFor(url: string, service: BusService, pool?: string): string {
  const [, suffix = ''] = /\/\/tester(.*):.*@/.exec(url) ?? [];
  return natsUrlOf(url.replace(/\/\/.*@/, '//'), { user: busUser(service, pool) + suffix, password });
}

/** @throws Error with each subject that the server denied to a service, of an `account` if given; `permissions.ts` lacks it */
export function checkRefused(logFile: string, account?: string): void {
  const refused = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter(line => line.includes('Violation') && (!account || line.includes(`-${account}"`)))
    .map(line => line.slice(line.search(/(Publish|Subscription) Violation/)));
  if (refused.length > 0)
    throw new Error(
      `NATS denied these subjects; add them to permissions.ts:\n${[...new Set(refused)].join('\n')}`,
    );
}
