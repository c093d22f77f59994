export { accessKey } from './bedrock/signature.ts';
export type { Recorded, SentAnswer, Stats } from './common/traffic.ts';
export * from './service.ts';
