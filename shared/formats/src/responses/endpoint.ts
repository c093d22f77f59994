import { sseComment } from '@model-gateway/sse';
import { type FormatEndpoint, knownFields } from '../client/endpoint.ts';
import { renderChatError } from '../client/render-errors.ts';
import { responsesFields } from './fields.ts';
import { renderErrorEvent } from './render.ts';
import { responsesRequest, responsesTranslatable } from './request.ts';

export { invalid } from './invalid.ts';
export { checkBody, parse, parseCompaction, parseCount, readBody } from './parse.ts';
export { type ClientTool, flatName } from './parse-tools.ts';
export { countRenderer, type ResponsesRendering, rendererOf, renderFailure, renderHead } from './render.ts';
export { storedId, withoutPrefix } from './render-items.ts';
export { joinTask, noSummary, readSummary, renderSummary, summaryPrefix } from './render-summary.ts';

/** The properties that all endpoints of the format share. */
export const responsesFormat = {
  method: 'POST',
  format: 'responses',
  fields: knownFields(responsesRequest, responsesTranslatable),
  fieldNames: responsesFields.names,
  renderError: renderChatError,
  renderErrorEvent,
  ping: sseComment('ping'),
} satisfies Partial<FormatEndpoint>;
