import {
  dataUrl,
  type MediaPart,
  type QuestionPart,
} from '../../services/console/src/pages/playground/conversation/part.ts';
import {
  noSettings,
  type Settings,
} from '../../services/console/src/pages/playground/conversation/settings.ts';
import { formats } from '../../services/console/src/pages/playground/formats/formats.ts';
import { asWhole, type CodeRequest } from '../../services/console/src/pages/snippets/request.ts';
import { png, wav } from './attachments.ts';

/** A request to write code for, and what the program that makes it prints. */
export interface Case {
  name: string;
  request: CodeRequest;
  prints: RegExp;
}

const awkward = 'A "quoted" `text` with $HOME, \\n, {braces}, it\'s ünïcode 🦊\nand two lines';

const simple: Partial<Settings> = { system: 'Answer in English.', maxTokens: 100 };
const parameters: Partial<Settings> = { ...simple, temperature: 0.5, topP: 0.9, seed: 3, stop: ['END'] };
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools: Partial<Settings> = {
  ...parameters,
  tools: [{ name: 'weather', description: 'Tells the weather', schema: JSON.stringify(schema) }],
  toolChoice: 'tool:weather',
};

const image: MediaPart = { type: 'media', kind: 'image', name: 'a.png', mediaType: 'image/png', data: png };
const text = (said: string): QuestionPart => ({ type: 'text', text: said });

function conversation(format: keyof typeof formats, parts: QuestionPart[], settings: Partial<Settings>) {
  const model = 'sim-fast';
  const built = formats[format].build({
    model,
    turns: [{ role: 'user', parts }],
    settings: { ...noSettings, ...settings },
  });
  return (baseUrl: string): CodeRequest => ({ ...built, format, model, baseUrl });
}

/** The cases of conversations: simple, with every kind of setting, and whole answers. */
function conversations(baseUrl: string): Case[] {
  return (['chat', 'messages', 'generate-content', 'responses'] as const).flatMap(format => {
    const request = (parts: QuestionPart[], settings: Partial<Settings>) =>
      conversation(format, parts, settings)(baseUrl);
    return [
      { name: `${format}, simple`, request: request([text('Hello you')], simple), prints: /said.*you/s },
      {
        name: `${format}, whole, with an attachment and awkward text`,
        request: asWhole(request([text(awkward), image], parameters)),
        prints: /1 attachment/,
      },
      {
        name: `${format}, with a tool`,
        request: request([text('The weather in Oslo?')], tools),
        prints: /weather.*Oslo/s,
      },
      {
        name: `${format}, whole, simple`,
        request: asWhole(request([text('Hello you')], {})),
        prints: /Hello you/,
      },
    ];
  });
}

/** The cases of the other operations. */
function operations(baseUrl: string): Case[] {
  const of = (
    format: CodeRequest['format'],
    path: string,
    body: object,
    model = 'sim-fast',
  ): CodeRequest => ({
    ...{ format, baseUrl, path, model },
    body: format === 'realtime' ? { ...body } : { model, ...body },
  });
  return [
    {
      name: 'embeddings',
      request: of('embeddings', '/v1/embeddings', { input: ['one', awkward], dimensions: 8 }),
      prints: /0.*1/s,
    },
    {
      name: 'rerank',
      request: of(
        'rerank',
        '/v1/rerank',
        { query: 'France', documents: ['Bananas', 'France'], top_n: 1 },
        'ranker',
      ),
      prints: /1.*0\.\d/s,
    },
    {
      name: 'moderations',
      request: of('moderations', '/v1/moderations', { input: ['I hate you', awkward] }),
      // The scores of every category follow.
      prints: /true.*hate/is,
    },
    {
      name: 'moderations, with an image',
      request: of('moderations', '/v1/moderations', {
        input: [
          { type: 'text', text: 'I hate you' },
          { type: 'text', text: awkward },
          { type: 'image_url', image_url: { url: dataUrl(image) } },
        ],
      }),
      prints: /true.*hate/is,
    },
    {
      name: 'images',
      request: of('images', '/v1/images/generations', { prompt: 'A fox', n: 1 }),
      prints: /image\.png|b64_json/,
    },
    {
      name: 'speech',
      request: of('speech', '/v1/audio/speech', { input: 'Hello', voice: 'alloy', response_format: 'wav' }),
      prints: /^/,
    },
    {
      name: 'transcriptions',
      request: of('transcriptions', '/v1/audio/transcriptions', { file: 'sound.wav', language: 'en' }),
      prints: /\w+/,
    },
    {
      name: 'realtime',
      request: of('realtime', '/v1/realtime/client_secrets', {
        session: { type: 'realtime', instructions: awkward, output_modalities: ['text'], model: 'sim-fast' },
      }),
      // The answer to the program's "Hello!"; curl makes a client secret alone.
      prints: /Hello!|ek_/,
    },
  ];
}

/** The cases, each with a model of its own, by which its request is found at the upstream. */
export function casesAt(baseUrl: string): Case[] {
  return [...conversations(baseUrl), ...operations(baseUrl)].map(({ request, ...others }, number) => {
    const model = `${request.model}-${number}`;
    const path = request.path.replace(/models\/[^:]+/, `models/${model}`);
    const body = 'model' in request.body ? { ...request.body, model } : request.body;
    return { ...others, request: { ...request, model, path, body } };
  });
}

/** The files that a user has beside the program. */
export const ownFiles = [{ name: 'sound.wav', data: wav }];
