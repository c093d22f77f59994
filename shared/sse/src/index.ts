export * from './pieces.ts';
export * from './reader.ts';
export * from './splitter.ts';
export * from './write.ts';
