// The parts for a process that configures NATS and does not connect to it. They load no client of NATS.
export {
  type NatsUser,
  natsAuthorization,
  natsPatience,
  natsUrlOf,
  natsUser,
} from './authorization.ts';
export { type BusService, busServices, busUser } from './bus-user.ts';
export { abilitiesOf, permissionsOf, subjectsOf } from './permissions.ts';
export * from './streams.ts';
export * from './subjects.ts';
