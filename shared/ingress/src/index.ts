export {
  type Ingress,
  type IngressConfig,
  identify,
  ingressConfig,
  ingressService,
  noRoute,
  startIngress,
} from './app.ts';
export { isSlowBody } from './body-watch.ts';
export { Connection, type Identified } from './connection.ts';
export { apiKeyOrBearer, bearerToken, headerText } from './credential.ts';
export { type IngressDeps, ingressDepsConfig, openIngressDeps } from './deps.ts';
export type {
  AnswerRenderer,
  CountRenderer,
  Endpoint,
  IncomingRequest,
  PreparedRequest,
  RenderContext,
  RenderedError,
  ResourceEndpoint,
  ResourceRequest,
  ResultRenderer,
  StreamWriter,
} from './endpoint.ts';
export { knownFields, RenderedPieces, RenderedText } from './endpoint.ts';
export { refuseMisplaced } from './form/read.ts';
export type { ReceivedForm } from './form/received.ts';
export type {
  Framing,
  GatewayRequest,
  ParsedCount,
  ParsedGenerate,
  ParsedOperation,
} from './gateway-request.ts';
export { invalidRequest } from './invalid.ts';
export type { Reservation } from './memory-budget.ts';
export { checkModelName } from './model-name.ts';
export { parseObject } from './parse-object.ts';
export * from './render-chat-error.ts';
export * from './render-generate-content-error.ts';
export * from './render-messages-error.ts';
export { ForwardingSink, type ResponseSink } from './response-sink.ts';
export * from './routes.ts';
export { type PoolTargets, sessionTargets } from './session-targets.ts';
export {
  type Admission,
  type CountSocket,
  identifySecret,
  type SocketEndpoint,
  Sockets,
} from './socket.ts';
export { sendError, sendJson } from './write-body.ts';
