import { type BusService, busUser, type Permissions, permissionsOf } from './permissions.ts';

/** A NATS user as a server's configuration has it. */
export interface NatsUser {
  user: string;
  password: string;
  permissions: Permissions;
}

export function natsUser(service: BusService, password: string, pool?: string): NatsUser {
  return { user: busUser(service, pool), password, permissions: permissionsOf(service, pool) };
}

/** The part of a nats-server's configuration that says who may connect, and may do what. A user without credentials is refused. */
export function natsAuthorization(users: readonly NatsUser[]): string {
  const lines = users.map(
    ({ user, password, permissions: { publish, subscribe } }) =>
      `  { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)}, permissions: {
    publish: { allow: ${JSON.stringify(publish)} }
    subscribe: { allow: ${JSON.stringify(subscribe)} } } }\n`,
  );
  return `authorization { users: [\n${lines.join('')}] }\n`;
}

/** An address of NATS with a user and a password in it. */
export function natsUrlOf(url: string, { user, password }: Pick<NatsUser, 'user' | 'password'>): string {
  return url.replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
}
