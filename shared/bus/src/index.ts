export type { Message, RequestBody } from './body-sender.ts';
export type { BucketName } from './bucket.ts';
export type { Call } from './call.ts';
export { type CallRequest, maxLosses, type Tried } from './call-request.ts';
export * from './caller.ts';
export * from './connection.ts';
export * from './kept/index.ts';
export { type NatsUser, natsAuthorization, natsUrlOf, natsUser } from './nats-users.ts';
export {
  abilitiesOf,
  type BusService,
  busServices,
  busUser,
  type Permissions,
  permissionsOf,
  subjectsOf,
} from './permissions.ts';
export * from './pool-load.ts';
export * from './pool-name.ts';
export * from './projection.ts';
export { type AnnouncedAttempt, answerWindow, beatMs, lostMs } from './protocol.ts';
export { readUsage, type UsageReader } from './records.ts';
export type { ServedCall } from './served-call.ts';
export { type ServeOptions, Server } from './server.ts';
export { Session, type SessionRequest, weightOf } from './session.ts';
export * from './usage-writer.ts';
export * from './watch.ts';
