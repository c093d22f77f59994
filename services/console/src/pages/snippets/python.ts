import { withFiles } from './files.ts';
import { flattened, simpleText } from './generate-content.ts';
import { Expression, literal, python as notation } from './literal.ts';
import { pythonRealtime } from './realtime.ts';
import { type Code, type CodeRequest, isStreamed, sdkFields } from './request.ts';
import { secretVariable } from './secret.ts';

/** Writes a request for the vendors' SDKs of Python. */
export function python(request: CodeRequest): Code {
  switch (request.format) {
    case 'messages':
      return written(request, 'anthropic', 'from anthropic import Anthropic', 'Anthropic', '');
    case 'generate-content':
      return generateContent(request);
    case 'rerank':
      return rerank(request);
    case 'realtime':
      return pythonRealtime(request);
    default:
      return written(request, 'openai', 'from openai import OpenAI', 'OpenAI', '/v1');
  }
}

const secret = `os.environ["${secretVariable}"]`;
const encoded = (name: string, before: string) => {
  const read = `base64.b64encode(open(${notation.text(name)}, "rb").read()).decode()`;
  return before ? `${notation.text(before)} + ${read}` : read;
};

function written(request: CodeRequest, sdk: string, imported: string, client: string, root: string): Code {
  const { format, baseUrl } = request;
  const { body, files } = withFiles(sdkFields(request), encoded);
  const called = callOf(request, argumentsOf(format, body));
  return {
    code: `${files.length > 0 || format === 'images' ? 'import base64\n' : ''}import os

${imported}

client = ${client}(
    base_url=${notation.text(baseUrl + root)},
    api_key=${secret},
)
${called}`,
    install: `pip install ${sdk}`,
    files,
  };
}

/** The method of each format, the name of what it returns, and the lines that print that. */
function callOf(request: CodeRequest, fields: string): string {
  const { format } = request;
  const calls = 'tools' in request.body;
  const streamed = isStreamed(request);
  const call = (method: string, result = streamed ? 'stream' : 'response') =>
    `${result} = client.${method}(\n${fields})\n`;
  switch (format) {
    case 'chat':
      return call('chat.completions.create') + (streamed ? chatStream(calls) : chatWhole(calls));
    case 'messages':
      return call('messages.create') + (streamed ? messagesStream(calls) : messagesWhole(calls));
    case 'responses':
      return call('responses.create') + (streamed ? responsesStream(calls) : responsesWhole(calls));
    case 'embeddings':
      return `${call('embeddings.create')}for item in response.data:\n    print(item.index, item.embedding[:3])`;
    case 'moderations':
      return `${call('moderations.create')}for result in response.results:\n    print(result.flagged, result.category_scores.to_dict())`;
    case 'images':
      return `${call('images.generate')}image = response.data[0]
if image.b64_json:
    open("image.png", "wb").write(base64.b64decode(image.b64_json))
print(image.url or "image.png")`;
    case 'speech':
      return `${call('audio.speech.create')}response.write_to_file(${notation.text(speechFile(request))})`;
    default:
      return `${call('audio.transcriptions.create')}print(${hasPlainText(request) ? 'response' : 'response.text'})`;
  }
}

/** The name of the file for the sound of a speech request. */
export function speechFile({ body }: CodeRequest): string {
  return `speech.${body.response_format ?? 'mp3'}`;
}

/** True if a transcription comes as text rather than JSON. */
export function hasPlainText({ body }: CodeRequest): boolean {
  return ['text', 'srt', 'vtt'].includes(String(body.response_format));
}

function chatStream(calls: boolean): string {
  const tools = `
            for call in delta.tool_calls or []:
                print(call.function.name or "", call.function.arguments or "", end="")`.replaceAll(
    '\n    ',
    '\n',
  );
  return `for chunk in stream:
    if chunk.choices:
        delta = chunk.choices[0].delta
        print(delta.content or "", end="", flush=True)${calls ? tools : ''}`;
}

function chatWhole(calls: boolean): string {
  if (!calls) return 'print(response.choices[0].message.content)';
  return `message = response.choices[0].message
print(message.content)
for call in message.tool_calls or []:
    print(call.function.name, call.function.arguments)`;
}

function messagesStream(calls: boolean): string {
  const tools = `
    elif event.type == "content_block_start" and event.content_block.type == "tool_use":
        print(event.content_block.name, end=" ")
    elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
        print(event.delta.partial_json, end="")`;
  return `for event in stream:
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)${calls ? tools : ''}`;
}

function messagesWhole(calls: boolean): string {
  const tools = `
    elif block.type == "tool_use":
        print(block.name, block.input)`;
  return `for block in response.content:
    if block.type == "text":
        print(block.text)${calls ? tools : ''}`;
}

function responsesStream(calls: boolean): string {
  const tools = `
    elif event.type == "response.output_item.done" and event.item.type == "function_call":
        print(event.item.name, event.item.arguments)`;
  return `for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)${calls ? tools : ''}`;
}

function responsesWhole(calls: boolean): string {
  const tools = `
for item in response.output:
    if item.type == "function_call":
        print(item.name, item.arguments)`;
  return `print(response.output_text)${calls ? tools : ''}`;
}

/** The arguments that the SDK's methods do not have, which go into the body as they are. */
const bodyOnly: Partial<Record<CodeRequest['format'], readonly string[]>> = {
  messages: ['temperature', 'top_p', 'top_k'],
  chat: ['top_k', 'thinking', 'reasoning'],
};

function argumentsOf(format: CodeRequest['format'], body: Record<string, unknown>): string {
  const others = bodyOnly[format] ?? [];
  const own = Object.entries(body).filter(([name]) => !others.includes(name));
  const extra = Object.entries(body).filter(([name]) => others.includes(name));
  const all: [string, unknown][] =
    extra.length > 0 ? [...own, ['extra_body', Object.fromEntries(extra)]] : own;
  return all
    .map(([name, value]) => {
      const file = name === 'file' && format === 'transcriptions';
      const text = file ? `open(${notation.text(String(value))}, "rb")` : literal(value, notation, 1);
      return `    ${name}=${text},\n`;
    })
    .join('');
}

function generateContent(request: CodeRequest): Code {
  const { baseUrl, model, body: whole } = request;
  const bytes = (name: string) => `open(${notation.text(name)}, "rb").read()`;
  const { body, files } = withFiles(whole, bytes);
  const { contents, config } = flattened(body);
  const shown = simpleText(contents) ?? snakeCase(bytesIn(contents));
  const isCoded = literal(shown, notation).includes('base64.');
  const streamed = isStreamed(request);
  const settings =
    Object.keys(config).length > 0 ? `    config=${literal(snakeCase(config), notation, 1)},\n` : '';
  const tools = 'tools' in config;
  const print = (result: string, flush: string) =>
    `print(${result}.text or ""${flush})${
      tools
        ? `\n${streamed ? '    ' : ''}for call in ${result}.function_calls or []:\n${streamed ? '    ' : ''}    print(call.name, call.args)`
        : ''
    }`;
  const method = streamed ? 'generate_content_stream' : 'generate_content';
  return {
    code: `${isCoded ? 'import base64\n' : ''}import os

from google import genai

client = genai.Client(
    api_key=${secret},
    http_options={"base_url": ${notation.text(baseUrl)}},
)
${streamed ? 'stream' : 'response'} = client.models.${method}(
    model=${notation.text(model)},
    contents=${literal(shown, notation, 1)},
${settings})
${streamed ? `for chunk in stream:\n    ${print('chunk', ', end="", flush=True')}` : print('response', '')}`,
    install: 'pip install google-genai',
    files,
  };
}

/** The SDK takes files and signatures as bytes. */
function bytesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bytesIn);
  if (typeof value !== 'object' || value === null || value instanceof Expression) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isBytes = (name === 'data' || name === 'thoughtSignature') && typeof field === 'string';
      return [name, isBytes ? new Expression(`base64.b64decode(${notation.text(field)})`) : bytesIn(field)];
    }),
  );
}

/** Fields whose names within are the user's. */
const asTheyAre = new Set([
  'args',
  'response',
  'parametersJsonSchema',
  'responseJsonSchema',
  'parameters',
  'responseSchema',
]);

/** Writes the names of fields as Python does. */
function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== 'object' || value === null || value instanceof Expression) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      asTheyAre.has(name) ? field : snakeCase(field),
    ]),
  );
}

function rerank(request: CodeRequest): Code {
  const { baseUrl, body } = request;
  return {
    code: `import os

import cohere

client = cohere.ClientV2(
    base_url=${notation.text(baseUrl)},
    api_key=${secret},
)
response = client.rerank(
${argumentsOf('rerank', body)})
for result in response.results:
    print(result.index, result.relevance_score)`,
    install: 'pip install cohere',
    files: [],
  };
}
