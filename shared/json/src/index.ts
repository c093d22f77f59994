export * from './bounds.ts';
export * from './call-arguments.ts';
export { ObjectEnd } from './object-end.ts';
export * from './parse-in-steps.ts';
export { jsonStep, parseInSteps, stepBytes, type Turn } from './parse-in-steps.ts';
export { type JsonPiece, type JsonScalar, joinScalars, splitScalars } from './scalars.ts';
export {
  ambiguousKey,
  duplicateKey,
  type Edit,
  type Edits,
  KnownFields,
  listSpans,
  maxNesting,
  memberText,
  spliceTopLevel,
  topLevelSpans,
  withoutByteOrderMark,
} from './text.ts';
export {
  isLargeJson,
  JsonTooLargeError,
  jsonWeight,
  type WriteBounds,
  writeInSteps,
} from './write-in-steps.ts';
