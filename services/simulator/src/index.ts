export { accessKey } from './bedrock/signature.ts';
export * from './service.ts';
export type { Recorded, SentAnswer, Stats } from './traffic.ts';
