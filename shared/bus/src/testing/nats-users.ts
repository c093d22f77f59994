import { readFileSync } from 'node:fs';
import { type NatsUser, natsAuthorization, natsUrlOf, natsUser } from '../authorization.ts';
import { type BusService, busServices, busUser } from '../bus-user.ts';

const password = 'test';
/** The pools whose workers may connect. */
const pools = ['default', 'other'];
/** A user that may do everything; clients that give no user connect as it. */
const tester: NatsUser = { user: 'tester', password, permissions: { publish: ['>'], subscribe: ['>'] } };

/** The `authorization` block with the users of all services, as in production. */
export function testUsers(): string {
  const users = busServices.flatMap(service =>
    service === 'worker'
      ? pools.map(pool => natsUser(service, password, pool))
      : [natsUser(service, password)],
  );
  return `${natsAuthorization([...users, tester])}no_auth_user: ${tester.user}\n`;
}

/** The URL by which a service connects to a test's nats-server as its own user. */
export function urlFor(url: string, service: BusService, pool?: string): string {
  return natsUrlOf(url, { user: busUser(service, pool), password });
}

/** @throws Error with each subject that the server denied to a service; `permissions.ts` lacks it */
export function checkRefused(logFile: string): void {
  const refused = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter(line => line.includes('Violation'))
    .map(line => line.slice(line.search(/(Publish|Subscription) Violation/)));
  if (refused.length > 0)
    throw new Error(
      `NATS denied these subjects; add them to permissions.ts:\n${[...new Set(refused)].join('\n')}`,
    );
}
