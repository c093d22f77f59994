export type { Message, RequestBody } from './body-sender.ts';
export type { BucketName } from './bucket.ts';
export { type AnnouncedAttempts, type Call, type CallRequest, maxLosses } from './call-request.ts';
export { Caller } from './caller.ts';
export * from './connection.ts';
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
export * from './pool-load.ts';
export * from './projection.ts';
export { type AnnouncedAttempt, answerWindow, heartbeatMs, lostMs } from './protocol.ts';
export { readUsage } from './records.ts';
export type { ServedCall } from './served-call.ts';
export { Server } from './server.ts';
export { Session, type SessionListener, weightOf } from './session.ts';
export * from './streams.ts';
export * from './subjects.ts';
export * from './usage-writer.ts';
export * from './watch.ts';
