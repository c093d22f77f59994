export type { Message, RequestBody } from './body-sender.ts';
export type { BucketName } from './bucket.ts';
export type { Call } from './call.ts';
export { type AnnouncedAttempts, type CallRequest, maxLosses } from './call-request.ts';
export * from './caller.ts';
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
export { Session, weightOf } from './session.ts';
export * from './store/index.ts';
export * from './subjects.ts';
export * from './usage-writer.ts';
export * from './watch.ts';
