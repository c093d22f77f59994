export { sendError, sendJson } from './answer.ts';
export { identify, ingressService, noRoute } from './app.ts';
export * from './chat-error/render.ts';
export { apiKeyOrBearer, bearerToken, headerText } from './credential.ts';
export type {
  AnswerRenderer,
  CountRequest,
  Endpoint,
  Framing,
  ParsedRequest,
  RenderContext,
  RenderedError,
  StreamWriter,
} from './endpoint.ts';
export * from './google-error/render.ts';
export { invalidRequest } from './invalid.ts';
export * from './messages-error/render.ts';
export { openParts, type Parts, partsConfig } from './parts.ts';
export * from './routes.ts';
