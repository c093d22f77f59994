import {
  type Endpoint,
  knownFields,
  renderChatError,
  renderNamedChatErrorEvent,
} from '@model-gateway/ingress';
import { parseNone } from '@model-gateway/service';
import { sseComment } from '@model-gateway/sse';
import {
  imageEditForm,
  imageEditRequest,
  imageGenerationRequest,
  imageVariationForm,
} from '@model-gateway/wire';
import { parseGeneration, parseVariationForm } from './parse.ts';
import { parseEdit, parseEditForm } from './parse-edit.ts';

/** Generates images from a prompt. */
export const generations: Endpoint = {
  method: 'POST',
  path: '/v1/images/generations',
  format: 'images',
  operation: 'image',
  fields: knownFields(imageGenerationRequest),
  parse: parseGeneration,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
};

/** Edits images, which are files of a form or are in JSON. */
export const edits: Endpoint = {
  method: 'POST',
  path: '/v1/images/edits',
  format: 'images',
  operation: 'image',
  variant: 'edits',
  fields: knownFields(imageEditRequest, imageEditForm),
  contentTypes: ['multipart/form-data', 'application/json'],
  parse: parseEdit,
  parseForm: parseEditForm,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
};

/** Generates variations of an image. */
export const variations: Endpoint = {
  method: 'POST',
  path: '/v1/images/variations',
  format: 'images',
  operation: 'image',
  variant: 'variations',
  fields: knownFields(imageVariationForm),
  contentTypes: ['multipart/form-data'],
  parse: parseNone,
  parseForm: parseVariationForm,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: '',
};
