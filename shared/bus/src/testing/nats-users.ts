import { readFileSync } from 'node:fs';
import {
  type BusService,
  busServices,
  busUser,
  type NatsUser,
  natsAuthorization,
  natsUrlOf,
  natsUser,
} from '../permissions.ts';

const password = 'test';
/** The pools whose workers may connect. */
const pools = ['default', 'other'];
/** A user that may do everything, as which whoever gives no user connects: the test itself. */
const tester: NatsUser = { user: 'tester', password, permissions: { publish: ['>'], subscribe: ['>'] } };

/** The part of a nats-server's configuration with the user of each service, as the gateway is run. */
export function testUsers(): string {
  const users = busServices.flatMap(service =>
    service === 'worker'
      ? pools.map(pool => natsUser(service, password, pool))
      : [natsUser(service, password)],
  );
  return `${natsAuthorization([...users, tester])}no_auth_user: ${tester.user}\n`;
}

/** The address by which a service reaches a nats-server of a test, as its own user. */
export function urlFor(url: string, service: BusService, pool?: string): string {
  return natsUrlOf(url, { user: busUser(service, pool), password });
}

/** @throws Error that names each subject which the server refused to a service; the list in `permissions.ts` lacks it */
export function checkRefused(logFile: string): void {
  const refused = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter(line => line.includes('Violation'))
    .map(line => line.slice(line.search(/(Publish|Subscription) Violation/)));
  if (refused.length > 0) throw new Error(`NATS refused:\n${[...new Set(refused)].join('\n')}`);
}
