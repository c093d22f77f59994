export * from './chat/answer.ts';
export * from './chat/reasoning.ts';
export * from './chat/request.ts';
export * from './cohere-chat/types.ts';
export type { CompletionFinishReason } from './completions/finish.ts';
export * from './completions/types.ts';
export * from './converse/types.ts';
export {
  type BatchEmbedAnswer,
  batchEmbedRequest,
  type EmbedContentAnswer,
  embedContentRequest,
} from './embed-content.ts';
export { type EmbeddingsAnswer, embeddingsInput, embeddingsRequest } from './embeddings.ts';
export * from './generate-content/answer.ts';
export * from './generate-content/enums.ts';
export * from './generate-content/parts.ts';
export * from './generate-content/proto-json.ts';
export * from './generate-content/request.ts';
export * from './images/types.ts';
export type { ListenAnswer, ListenQueryParams, ListenUtterance, ListenWord } from './listen.ts';
export * from './messages/answer.ts';
export * from './messages/request.ts';
export * from './models.ts';
export {
  defaultModerationModel,
  type ModerationResult,
  type ModerationsAnswer,
  moderationsInput,
  moderationsRequest,
} from './moderations.ts';
export * from './realtime/events.ts';
export * from './realtime/session.ts';
export { type RerankBody, type RerankDocument, rerankRequest } from './rerank.ts';
export * from './responses/answer.ts';
export * from './responses/events.ts';
export { incompleteReasons } from './responses/finish.ts';
export * from './responses/input.ts';
export * from './responses/request.ts';
export {
  type SpeechDelta,
  type SpeechDone,
  type SpeechFormat,
  type SpeechRequest,
  speechFormats,
  speechRequest,
} from './speech.ts';
export { type TextToSpeechParams, textToSpeechSpeeds } from './text-to-speech.ts';
export { objectOf as formObject } from './transcriptions/endpoint.ts';
export * from './transcriptions/types.ts';
export * from './values/media.ts';
export * from './values/schemas.ts';
export * from './values/signatures.ts';
