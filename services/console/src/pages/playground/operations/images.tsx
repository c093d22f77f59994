import type { DraftProps, Field } from '../operation/fields.tsx';
import type { Operation, OperationProps } from '../operation/operation.ts';
import { OperationTab } from '../operation/operation-page.tsx';
import { cutOff, isEventStream, readEvents, readJson } from '../operation/read-answer.ts';
import type { Reading } from '../operation/use-run.ts';
import { Gallery } from './gallery.tsx';
import {
  type GeneratedImages,
  generatedImagesOf,
  imageEvent,
  imagesAnswer,
  noImages,
  withEvent,
} from './image-answer.ts';
import {
  addImages,
  emptyDraft,
  type ImagesDraft,
  isSize,
  maxImages,
  maxPrompt,
  missingIn,
  requestOf,
} from './image-request.ts';
import { InputImages } from './input-images.tsx';

const operation: Operation<ImagesDraft, GeneratedImages> = {
  title: 'Images',
  about: 'Make images from a prompt, or change images.',
  ...{ format: 'images', path: '/v1/images/generations', answer: 'Images' },
  ...{ empty: emptyDraft, files: ['images', 'mask'] },
  fields: ({ mode }) => [
    {
      ...{ type: 'either', name: 'mode', label: 'Mode', narrow: true },
      data: [
        { value: 'generate', label: 'Generate' },
        { value: 'edit', label: 'Edit' },
      ],
    },
    ...(mode === 'edit' ? [{ type: 'own', label: 'Images to edit', Input: InputImages } as const] : []),
    { type: 'text', name: 'prompt', label: 'Prompt', minRows: 3, maxRows: 12, maxLength: maxPrompt },
  ],
  settings,
  verb: ({ mode }) => (mode === 'edit' ? 'Edit' : 'Generate'),
  missing: missingIn,
  request: requestOf,
  read: () => readImages,
  used: ({ usage, pictures }) => ({ ...usage, images: pictures.length }),
  show: (made, form) => <Gallery made={made} onEdit={image => edit(image, form)} />,
};

/** The tab for images: made from a prompt, or from other images. */
export function Images(props: OperationProps) {
  return <OperationTab operation={operation} {...props} />;
}

/** Takes an image as the next one to edit. */
function edit(image: File, { draft, change }: DraftProps<ImagesDraft>): void {
  change({ mode: 'edit', images: addImages(draft.images.slice(0, maxImages - 1), [image]) });
}

const sizes = ['auto', '1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792', '512x512', '256x256'];

function settings({ mode, size, stream }: ImagesDraft): Field<ImagesDraft>[] {
  const all: (Field<ImagesDraft> | false)[] = [
    {
      ...{ type: 'suggestion', name: 'size', label: 'Size', placeholder: 'Model default', data: sizes },
      description: 'Width x height. Each model has its own.',
      error: isSize(size) ? undefined : 'Write a size such as 1024x1024, or auto.',
    },
    { type: 'number', name: 'n', label: 'Number of images', min: 1, max: 10 },
    {
      ...{ type: 'choice', name: 'quality', label: 'Quality' },
      data: ['auto', 'low', 'medium', 'high', 'xhigh', 'max', 'standard', 'hd'],
    },
    { type: 'choice', name: 'background', label: 'Background', data: ['auto', 'transparent', 'opaque'] },
    {
      ...{ type: 'choice', name: 'outputFormat', label: 'Output format' },
      data: ['png', 'jpeg', 'webp', 'gif', 'svg'],
    },
    {
      ...{ type: 'switch', name: 'stream', label: 'Stream' },
      description: 'Show each image as soon as it is there.',
    },
    stream && { type: 'number', name: 'partialImages', label: 'Partial images', min: 0, max: 3 },
    ...[...rareSettings, ...(mode === 'generate' ? generateSettings : editSettings)].map(
      (field): Field<ImagesDraft> => ({ ...field, rare: true }),
    ),
  ];
  return all.filter(field => field !== false);
}

const rareSettings: Field<ImagesDraft>[] = [
  {
    ...{ type: 'number', name: 'compression', label: 'Compression', min: 0, max: 100 },
    description: 'In percent, for JPEG and WebP.',
  },
  {
    ...{ type: 'choice', name: 'responseFormat', label: 'Response format', data: ['b64_json', 'url'] },
    description: 'Only for models that can return URLs.',
  },
];
const generateSettings: Field<ImagesDraft>[] = [
  { type: 'choice', name: 'style', label: 'Style', data: ['vivid', 'natural'] },
  { type: 'choice', name: 'moderation', label: 'Moderation', data: ['auto', 'low'] },
];
const editSettings: Field<ImagesDraft>[] = [
  { type: 'choice', name: 'inputFidelity', label: 'Input fidelity', data: ['low', 'high'] },
];

/**
 * Reads an answer with images, streamed or whole, and shows each image as it arrives.
 * @throws Problem if it is cut off, or has another shape
 */
async function readImages(reading: Reading<GeneratedImages>): Promise<GeneratedImages> {
  if (!isEventStream(reading.response)) return generatedImagesOf(await readJson(reading, imagesAnswer));
  let made = noImages;
  for await (const event of readEvents(reading, imageEvent)) {
    made = withEvent(made, event);
    reading.show(made);
  }
  if (made.pictures.length === 0) throw cutOff('The stream ended before an image was complete.');
  // A partial image may arrive after the complete one.
  return { ...made, partial: undefined };
}
