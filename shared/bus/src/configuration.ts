// The parts for a process that configures NATS and does not connect to it. They load no client of NATS.
export {
  type NatsUser,
  natsAuthorization,
  natsPatience,
  natsUrlOf,
  natsUser,
} from './authorization.ts';
export {
  abilitiesOf,
  type BusService,
  busServices,
  busUser,
  permissionsOf,
  subjectsOf,
} from './permissions.ts';
export * from './streams.ts';
export * from './subjects.ts';
