export { assertUse } from '@model-gateway/access';
export type { RequestSlot } from './admit/admit.ts';
export { headerText, secretsOf } from './admit/admit.ts';
export {
  type EndResponse,
  limitResponse,
  limitSession,
  type ResponseLimits,
  responseLimits,
  type TokenSession,
} from './admit/limit-session.ts';
export type {
  Endpoint,
  IncomingRequest,
  PreparedRequest,
  ResourceEndpoint,
  ResourceRequest,
} from './answer/endpoint.ts';
export { ForwardingSink, type ResponseSink, sendError, sendJson } from './answer/response-sink.ts';
export { beginTrace } from './attempts/request-trace.ts';
export { deliver } from './deliver/deliver.ts';
export type { Deliverable, Receiver, ReceiverHooks } from './deliver/deliverable.ts';
export { envelopeToken } from './deliver/request-envelope.ts';
export type { ReceivedForm } from './form/received.ts';
export { TargetHealth } from './health/target-health.ts';
export { isSampled, maxCapturedBytes } from './logging/request-logs.ts';
export { MemoryBudget, megabytes, type Reservation, TokenCount } from './memory/budgets.ts';
export { findModel, listModels, plan, planSession, type SentBody } from './plan/plan.ts';
export { withCors } from './process/cors.ts';
export {
  type IngressDeps,
  type IngressDepsSetting,
  ingressDepsSettings,
  openIngressDeps,
} from './process/deps.ts';
export { deploymentOf, toServedPath } from './process/served-path.ts';
export { parseObject } from './read/read.ts';
export { RunningEntry } from './running/running-entry.ts';
export {
  type Ingress,
  type IngressSetting,
  identify,
  ingressService,
  ingressSettings,
  noRoute,
  speaksMessages,
  startIngress,
} from './serve/app.ts';
export * from './serve/routes.ts';
export { Connection, type Identified } from './socket/connection.ts';
export { type MessageHandler, messageOverhead } from './socket/incoming-messages.ts';
export {
  type Admission,
  type CountSocket,
  identifySecret,
  type SocketEndpoint,
  Sockets,
} from './socket/socket.ts';
