export { sendError } from './answer.ts';
export { identify, ingressService } from './app.ts';
export * from './chat-error/render.ts';
export { bearerToken } from './credential.ts';
export type { Endpoint, ParsedRequest, RenderedError } from './endpoint.ts';
export { invalidRequest } from './invalid.ts';
export { openParts, type Parts } from './parts.ts';
export * from './routes.ts';
