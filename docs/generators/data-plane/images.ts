import {
  imageEditForm,
  imageEditRequest,
  imageGenerationRequest,
  imageVariationForm,
  maxInputImages,
} from '@model-gateway/formats';
import { z } from 'zod';
import {
  type DataPlaneOperation,
  eventStream,
  events,
  file,
  form,
  type JsonSchema,
  json,
} from './operation.ts';
import { withFiles } from './with-files.ts';

const common = { method: 'post', tag: 'Images', security: ['client'], errors: 'chat' } as const;

const images = z.looseObject({
  created: z.int().optional().describe('Seconds since 1970.'),
  data: z.array(z.looseObject({ b64_json: z.string().nullish(), url: z.string().nullish() })).nullish(),
});
const stream = events('Partial images, then each whole one, if `stream` is true.');

const several: JsonSchema = { type: 'array', items: file, minItems: 1, maxItems: maxInputImages };
const editFiles = {
  image: { ...file, description: 'The image to edit. Several are the field `image[]`.' },
  'image[]': { ...several, description: 'The images to edit.' },
  mask: { ...file, description: 'An image whose transparent areas are edited.' },
};

export const imageOperations: readonly DataPlaneOperation[] = [
  {
    ...common,
    id: 'createImage',
    path: '/v1/images/generations',
    summary: 'Generate images from a prompt',
    body: { [json]: imageGenerationRequest },
    example: { model: 'sim-image', prompt: 'A white cat' },
    answer: { [json]: images, [eventStream]: stream },
  },
  {
    ...common,
    id: 'editImage',
    path: '/v1/images/edits',
    summary: 'Edit images',
    body: { [form]: withFiles(imageEditForm, editFiles), [json]: imageEditRequest },
    answer: { [json]: images, [eventStream]: stream },
  },
  {
    ...common,
    id: 'varyImage',
    path: '/v1/images/variations',
    summary: 'Generate variations of an image',
    body: { [form]: withFiles(imageVariationForm, { image: file }, ['image']) },
    answer: { [json]: images },
  },
];
