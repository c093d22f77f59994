export { assertUse } from '@model-gateway/access';
export { headerText, secretsOf } from './admit.ts';
export {
  type Ingress,
  type IngressSetting,
  identify,
  ingressService,
  ingressSettings,
  noRoute,
  startIngress,
} from './app.ts';
export { beginTrace } from './attempts/request-trace.ts';
export { MemoryBudget, megabytes, type Reservation, TokenCount } from './budgets.ts';
export { Connection, type Identified } from './connection.ts';
export { withCors } from './cors.ts';
export type { RequestPlace } from './costs/request-place.ts';
export { deliver } from './deliver.ts';
export type { Deliverable, Receiver, ReceiverHooks } from './deliverable.ts';
export { type IngressDeps, type IngressDepsSetting, ingressDepsSettings, openIngressDeps } from './deps.ts';
export type {
  Endpoint,
  IncomingRequest,
  PreparedRequest,
  ResourceEndpoint,
  ResourceRequest,
} from './endpoint.ts';
export type { ReceivedForm } from './form/received.ts';
export { type MessageHandler, messageOverhead } from './incoming-messages.ts';
export {
  type EndResponse,
  limitResponse,
  limitSession,
  type ResponseLimits,
  responseLimits,
  type TokenSession,
} from './limit-session.ts';
export { isSampled, maxCapturedBytes } from './logging/request-logs.ts';
export { findModel, listModels, plan, type SentBody } from './plan.ts';
export { planSession } from './plan-session.ts';
export { parseObject } from './read.ts';
export { envelopeToken } from './request-envelope.ts';
export { ForwardingSink, type ResponseSink, sendError, sendJson } from './response-sink.ts';
export * from './routes.ts';
export { RunningEntry } from './running/running-entry.ts';
export { deploymentOf, toServedPath } from './served-path.ts';
export {
  type Admission,
  type CountSocket,
  identifySecret,
  type SocketEndpoint,
  Sockets,
} from './socket.ts';
export { TargetHealth } from './target-health.ts';
export { speaksMessages } from './unknown-path.ts';
