import {
  type FinishEvent,
  type GatewayError,
  type GenerateEvent,
  given,
  type Image,
  type ImageAnswer,
  type Usage,
} from '@model-gateway/canonical';
import {
  type RenderContext,
  type ResultRenderer,
  renderChatError,
  type StreamWriter,
} from '@model-gateway/ingress';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { ImageCompleted, ImageLooks, ImagesAnswer, ImageUsage } from '@model-gateway/wire';

/** Writes the images of an upstream that speaks another format, or that answered whole where a stream was asked for. */
export function imagesRenderer(
  type: ImageCompleted['type'],
  { response_format: format }: { response_format?: 'url' | 'b64_json' | null | undefined },
): ResultRenderer<ImageAnswer> {
  return {
    result(answer, usage, { created }): ImagesAnswer {
      const [first] = answer.images;
      return {
        created,
        data: answer.images.map(image => item(image, format === 'url')),
        ...looks(answer, first),
        ...(usage && tokensIn(usage) && { usage: tokens(usage) }),
      };
    },
    stream: context => new CompletedWriter(type, context),
  };
}

/** An upstream that makes images, and keeps none, gives their bytes: an address that holds them serves as any other. */
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
  return given({ background, output_format: type, quality, size });
}

/** Writes images that came at once as a stream: each is complete with its first event. */
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

  /** What was used is told of all images together, with the last one. */
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
        usage: i === last && usage ? tokens(usage) : noTokens,
      };
    });
    return events.map(each => sseEvent(dataJson(each), each.type)).join('');
  }
}

const noTokens: ImageUsage = {
  input_tokens: 0,
  input_tokens_details: { text_tokens: 0, image_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { text_tokens: 0, image_tokens: 0 },
  total_tokens: 0,
};

function tokensIn({ input, output }: Usage): boolean {
  return input + output > 0;
}

function tokens({ input, imageInput, output, reasoning }: Usage): ImageUsage {
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: input - imageInput, image_tokens: imageInput },
    output_tokens: output,
    output_tokens_details: { text_tokens: reasoning, image_tokens: output - reasoning },
    total_tokens: input + output,
  };
}

export const generationsRenderer = (asked: Parameters<typeof imagesRenderer>[1]) =>
  imagesRenderer('image_generation.completed', asked);

export const editsRenderer = (asked: Parameters<typeof imagesRenderer>[1]) =>
  imagesRenderer('image_edit.completed', asked);

/** Variations are never streamed: the name of the event is that of no stream. */
export const variationsRenderer = imagesRenderer('image_edit.completed', {});

/** The format has no event for a stream that fails: this is what its SDKs take for one. */
export function renderErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(renderChatError(error).body), 'error');
}
