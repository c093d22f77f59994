import { sseComment } from '@model-gateway/sse';
import { type FormatEndpoint, knownFields, parseNone } from '../client/endpoint.ts';
import { renderChatError, renderNamedChatErrorEvent } from '../client/render-errors.ts';
import { parseGeneration, parseVariationForm } from './parse.ts';
import { parseEdit, parseEditForm } from './parse-edit.ts';
import { editsRenderer, generationsRenderer, type ImagesAnswerOptions } from './render.ts';
import { imageEditForm, imageEditRequest, imageGenerationRequest, imageVariationForm } from './types.ts';

/** The format's names of fields in errors. */
const fieldNames: FormatEndpoint['fieldNames'] = { images: 'image', outputFormat: 'output_format' };

/** Generates images from a prompt. */
export const generations: FormatEndpoint<ImagesAnswerOptions> = {
  method: 'POST',
  path: '/v1/images/generations',
  format: 'images',
  fields: knownFields(imageGenerationRequest),
  parse: parseGeneration,
  render: generationsRenderer,
  fieldNames,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
};

/** Edits images, which are files of a form or are in JSON. */
export const edits: FormatEndpoint<ImagesAnswerOptions> = {
  method: 'POST',
  path: '/v1/images/edits',
  format: 'images',
  variant: 'edits',
  fields: knownFields(imageEditRequest, imageEditForm),
  contentTypes: ['multipart/form-data', 'application/json'],
  parse: parseEdit,
  parseForm: parseEditForm,
  render: editsRenderer,
  fieldNames,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
};

/** Generates variations of an image. */
export const variations: FormatEndpoint<ImagesAnswerOptions> = {
  method: 'POST',
  path: '/v1/images/variations',
  format: 'images',
  variant: 'variations',
  fields: knownFields(imageVariationForm),
  contentTypes: ['multipart/form-data'],
  parse: parseNone,
  parseForm: parseVariationForm,
  render: editsRenderer,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: '',
};
