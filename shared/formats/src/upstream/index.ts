export { readUsage } from './any-usage.ts';
export { onlyCalls } from './call-ids.ts';
export { answerFailure, decodeFailure } from './decode-openai-failure.ts';
export type {
  Decoder,
  EncodeInput,
  GenerateInput,
  InputBody,
  InputFacts,
  SentForm,
  UpstreamRequest,
} from './dialect.ts';
export { brokenConnection, ofUpstream, readFailureBody, withPath } from './failure-body.ts';
export { type ReasonMeaning, reasonLists, reasonMeaning } from './finish-reason.ts';
export { malformed, malformedAnswer, twoAnswers } from './malformed.ts';
export { JsonBody } from './request-body.ts';
export { WholeBody } from './whole-body.ts';
