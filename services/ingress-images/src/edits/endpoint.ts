import { type Endpoint, knownFields, renderChatError } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { imageEditForm, imageEditRequest } from '@model-gateway/wire';
import { renderErrorEvent } from '../error-event/render.ts';
import { parse, parseForm } from './parse.ts';

/** Images that are made of others; these come as files of a form, or in JSON. */
export const edits: Endpoint = {
  method: 'POST',
  path: '/v1/images/edits',
  format: 'images',
  operation: 'image',
  variant: 'edits',
  fields: knownFields(imageEditRequest, imageEditForm),
  contentTypes: ['multipart/form-data', 'application/json'],
  parse,
  parseForm,
  renderError: renderChatError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
