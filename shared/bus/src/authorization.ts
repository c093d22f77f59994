import type { Permissions } from './jetstream-permissions.ts';
import { type BusService, busUser, permissionsOf } from './permissions.ts';

/** A user in the configuration of a NATS server. */
export interface NatsUser {
  user: string;
  password: string;
  permissions: Permissions;
}

export function natsUser(service: BusService, password: string, pool?: string): NatsUser {
  return { user: busUser(service, pool), password, permissions: permissionsOf(service, pool) };
}

/** Writes the `authorization` block of a nats-server configuration. Clients without credentials are refused. */
export function natsAuthorization(users: readonly NatsUser[]): string {
  return `authorization { ${natsUsers(users)} }\n`;
}

/** Writes the list of users of a nats-server configuration. */
export function natsUsers(users: readonly NatsUser[]): string {
  const lines = users.map(
    ({ user, password, permissions: { publish, subscribe } }) =>
      `  { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)}, permissions: {
    publish: { allow: ${JSON.stringify(publish)} }
    subscribe: { allow: ${JSON.stringify(subscribe)} } } }\n`,
  );
  return `users: [\n${lines.join('')}]`;
}

/**
 * The settings of a nats-server that keep the connection of a process which reads nothing for 15 s: the server waits longer for it, and
 * queues more for it than its calls have credit.
 */
export const natsPatience = `write_deadline: "30s"
max_pending: 256MB
`;

/** Adds a user and a password to a NATS URL. */
export function natsUrlOf(url: string, { user, password }: Pick<NatsUser, 'user' | 'password'>): string {
  return url.replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
}
