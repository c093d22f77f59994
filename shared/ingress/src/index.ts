export { sendError, sendJson } from './answer.ts';
export {
  type Ingress,
  type IngressConfig,
  identify,
  ingressConfig,
  ingressService,
  noRoute,
  observerOf,
  startIngress,
} from './app.ts';
export { isSlowBody } from './body-watch.ts';
export { Connection, type Identified } from './connection.ts';
export { apiKeyOrBearer, bearerToken, headerText } from './credential.ts';
export type {
  AnswerRenderer,
  Asked,
  AskedKept,
  CountRequest,
  Endpoint,
  Framing,
  KeptEndpoint,
  ParsedOperation,
  ParsedRequest,
  PreparedRequest,
  RenderContext,
  RenderedError,
  ResultRenderer,
  StreamWriter,
} from './endpoint.ts';
export { knownFields, RenderedPieces, RenderedText } from './endpoint.ts';
export { refuseMisplaced } from './form/read.ts';
export type { ReceivedForm } from './form/received.ts';
export type { Share } from './held-bytes.ts';
export { checkModelName, invalidRequest } from './invalid.ts';
export { type Outlet, ThroughOutlet } from './outlet.ts';
export { parseObject } from './parse-object.ts';
export { openParts, type Parts, partsConfig } from './parts.ts';
export * from './render-chat-error.ts';
export * from './render-generate-content-error.ts';
export * from './render-messages-error.ts';
export * from './routes.ts';
export {
  type Admission,
  type CountSocket,
  identifySecret,
  type SocketEndpoint,
  Sockets,
} from './socket.ts';
export { type PoolTargets, routesTo } from './ways.ts';
