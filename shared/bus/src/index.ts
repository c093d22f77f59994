export type { Message, RequestBody } from './body-sender.ts';
export { type BucketName, bucketStream, healthMs, type PublishedBucket } from './bucket.ts';
export type { AnnouncedAttempts } from './call-attempts.ts';
export { busUnavailable } from './call-failure.ts';
export { type Call, type CallRequest, maxLosses } from './call-parts.ts';
export { Caller } from './caller.ts';
export * from './configuration.ts';
export * from './connection.ts';
export {
  type FaultPlace,
  Faults,
  faultPlaces,
  type OnFault,
  subscribe,
} from './faults.ts';
export { type FleetAnswer, FleetAsker } from './fleet-asker.ts';
export { type FleetAnswers, FleetMember } from './fleet-member.ts';
export { Candidate, type CandidateEvents, leaseMs, takeOverMs } from './leader.ts';
export { heartbeatMs, Life, Lookout, lookMs, lostMs, silentMs } from './liveness.ts';
export {
  LoggedRequestWriter,
  loggedStreamMs,
  maxLoggedStreamBytes,
  maxWaitingLogBytes,
  readLoggedRequests,
} from './logged-requests.ts';
export { PassedSession, sessionUsage } from './passed-session.ts';
export * from './pool-load.ts';
export * from './projection.ts';
export { type AnnouncedAttempt, type AttemptTarget, answerWindow } from './protocol.ts';
export { type AnswerOfOne, answerQuestions, Questions } from './questions.ts';
export { readUsage, type UsageReader } from './records.ts';
export type { ServedCall } from './served-call.ts';
export { Server } from './server.ts';
export { Session, type SessionListener, weightOf } from './session.ts';
export { appended, ItemsById, Slab } from './slab.ts';
export {
  controlQueue,
  leftSubjects,
  processSubjects,
  spendingSubjects,
  testSubjects,
  workerQueue,
} from './subjects.ts';
export * from './usage-writer.ts';
export * from './watch.ts';
