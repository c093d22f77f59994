export * from './client-tools.ts';
export * from './endpoint.ts';
export * from './invalid.ts';
export * from './parsed-request.ts';
export * from './render-errors.ts';
export { isSlowBody, slowBodyCode } from './render-errors.ts';
