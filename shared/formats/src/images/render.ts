import type { FinishEvent, GenerateEvent, Image, ImageAnswer, Usage } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { RenderContext, ResultRenderer, StreamWriter } from '../client/endpoint.ts';
import { type ImageCompleted, type ImageLooks, type ImagesAnswer, imageUsage } from './types.ts';

/** The fields of a request that affect how its response is rendered. */
export interface ImagesAnswerOptions {
  /** True if the client requested URLs of the images. */
  asUrl: boolean;
}

/**
 * Renders images of an upstream of another format, or of one that did not stream although it was requested
 * to.
 */
function imagesRenderer(
  type: ImageCompleted['type'],
  { asUrl }: ImagesAnswerOptions,
): ResultRenderer<ImageAnswer> {
  return {
    type: 'result',
    result(answer, usage, { created }): ImagesAnswer {
      const [first] = answer.images;
      return {
        created,
        data: answer.images.map(image => item(image, asUrl)),
        ...looks(answer, first),
        ...(usage && tokensIn(usage) && { usage: imageUsage(usage) }),
      };
    },
    stream: context => new CompletedWriter(type, context),
  };
}

/** Renders an image. If the client requested a URL and the upstream sent bytes, the URL is a data URL. */
function item({ data, url, mediaType, revisedPrompt }: Image, asUrl: boolean): ImagesAnswer['data'][number] {
  return {
    ...(data && !asUrl && { b64_json: data }),
    ...(data && asUrl && { url: `data:${mediaType};base64,${data}` }),
    ...(!data && url && { url }),
    ...(revisedPrompt && { revised_prompt: revisedPrompt }),
  };
}

function looks({ size, quality, background }: ImageAnswer, first: Image | undefined): ImageLooks {
  const type = first?.mediaType.replace(/^image\//, '');
  return omitNullish({ background, output_format: type, quality, size });
}

/** Writes complete images as a stream with one event per image. */
class CompletedWriter implements StreamWriter {
  readonly #type: ImageCompleted['type'];
  readonly #created: number;
  #answer: ImageAnswer | undefined;

  constructor(type: ImageCompleted['type'], { created }: RenderContext) {
    this.#type = type;
    this.#created = created;
  }

  add(event: GenerateEvent): string {
    if (event.type === 'result' && event.result.type === 'images') this.#answer = event.result;
    return event.type === 'finish' && this.#answer ? this.#written(this.#answer, event) : '';
  }

  /** The last image's event has the usage of all images. */
  #written(answer: ImageAnswer, { usage }: FinishEvent): string {
    const last = answer.images.length - 1;
    const events = answer.images.map((image, i): ImageCompleted => {
      const { data, url } = image;
      return {
        type: this.#type,
        ...(data ? { b64_json: data } : url ? { url } : {}),
        created_at: this.#created,
        size: 'auto',
        quality: 'auto',
        background: 'auto',
        output_format: 'png',
        ...looks(answer, image),
        usage: i === last && usage ? imageUsage(usage) : noTokens,
      };
    });
    return events.map(each => sseEvent(dataJson(each), each.type)).join('');
  }
}

const noTokens = imageUsage({ input: 0, imageInput: 0, output: 0, reasoning: 0 });

function tokensIn({ input, output }: Usage): boolean {
  return input + output > 0;
}

export const generationsRenderer = (options: ImagesAnswerOptions) =>
  imagesRenderer('image_generation.completed', options);

/** Renders edits, and variations, which are never streamed. */
export const editsRenderer = (options: ImagesAnswerOptions) =>
  imagesRenderer('image_edit.completed', options);
