import type { Form, FormFile } from '@model-gateway/canonical';
import {
  imageEditForm,
  imageVariationForm,
  transcriptionRequest,
  translationRequest,
} from '@model-gateway/formats';
import type { Endpoint } from '@model-gateway/ingress';
import type { z } from 'zod';
import { edits, variations } from '../../shared/formats/src/images/endpoint.ts';
import { transcriptions, translations } from '../../shared/formats/src/transcriptions/endpoint.ts';
import { list } from './cost.ts';

type Fields = Form['fields'];

/** An endpoint whose forms grow. */
export interface GrowableForm {
  endpoint: Pick<Endpoint, 'parseForm' | 'format' | 'variant'>;
  /** The schema of the object that its fields make. */
  schema: z.ZodType;
  base: Fields;
  /** The name of its file. */
  file: string;
}

const spoken = { file: 'file', base: [['model', 'm']] as Fields };
const drawn = {
  file: 'image',
  base: [
    ['model', 'm'],
    ['prompt', 'Hi'],
  ] as Fields,
};

/** The endpoints with forms, by their paths. */
export const forms: Record<string, GrowableForm> = {
  '/v1/audio/transcriptions': {
    endpoint: transcriptions as Endpoint,
    schema: transcriptionRequest,
    ...spoken,
  },
  '/v1/audio/translations': { endpoint: translations as Endpoint, schema: translationRequest, ...spoken },
  '/v1/images/edits': { endpoint: edits as Endpoint, schema: imageEditForm, ...drawn },
  '/v1/images/variations': { endpoint: variations as Endpoint, schema: imageVariationForm, ...drawn },
};

/** The first bytes of files of each kind. */
export const content = Buffer.from('89504e470d0a1a0a00000000', 'hex');

export function filesNamed(names: readonly string[]): FormFile[] {
  return names.map(name => ({ name, filename: 'a.png', mediaType: 'image/png', size: content.length }));
}

/** Returns the fields of a form in which one is named `n` times, in each way of naming it. */
export function repeated(name: string): [what: string, fields: (n: number) => Fields][] {
  return [
    [`${name} again and again`, n => list(n, i => [name, `name${i}`])],
    [`${name}[]`, n => list(n, i => [`${name}[]`, `name${i}`])],
    [`${name}[inner]`, n => list(n, i => [`${name}[inner${i}]`, `name${i}`])],
    [`${name} as a list of JSON`, () => [[name, `{"a":[${'1,'.repeat(100_000)}1]}`]]],
  ];
}
