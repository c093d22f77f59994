export type { Call, CallRequest } from './call.ts';
export * from './caller.ts';
export * from './connection.ts';
export * from './kv.ts';
export { answerWindow, beatMs, lostMs } from './protocol.ts';
export type { ServedCall } from './served-call.ts';
export { type ServeOptions, Server } from './server.ts';
