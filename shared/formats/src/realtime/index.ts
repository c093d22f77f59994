export { type ConversationItem, requestOf } from './parse-items.ts';
export { copyOf, type OutputSink, type Speech } from './render-output.ts';
export {
  maxAnswer,
  newResponse,
  ResponseWriter,
  renderTranscriptUsage,
} from './render-response.ts';
