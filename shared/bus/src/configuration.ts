// The parts for a process that configures NATS and does not connect to it. They load no client of NATS.
export {
  abilitiesOf,
  type BusService,
  busServices,
  busUser,
  type NatsUser,
  natsAuthorization,
  natsUrlOf,
  natsUser,
  permissionsOf,
  subjectsOf,
} from './permissions.ts';
export * from './streams.ts';
export * from './subjects.ts';
