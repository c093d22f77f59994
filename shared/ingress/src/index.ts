export { sendError, sendJson } from './answer.ts';
export {
  type Ingress,
  type IngressConfig,
  identify,
  ingressConfig,
  ingressService,
  noRoute,
  startIngress,
} from './app.ts';
export * from './chat-error/render.ts';
export { apiKeyOrBearer, bearerToken, headerText } from './credential.ts';
export type {
  AnswerRenderer,
  Asked,
  CountRequest,
  Endpoint,
  Framing,
  KeptEndpoint,
  ParsedRequest,
  PreparedRequest,
  RenderContext,
  RenderedError,
  StreamWriter,
} from './endpoint.ts';
export * from './google-error/render.ts';
export { invalidRequest } from './invalid.ts';
export * from './messages-error/render.ts';
export type { Outlet } from './outlet.ts';
export { openParts, type Parts, partsConfig } from './parts.ts';
export * from './routes.ts';
export { Connection, type SocketEndpoint, Sockets } from './socket.ts';
