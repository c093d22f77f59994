import { withFiles } from './files.ts';
import { Expression, literal, python as notation } from './literal.ts';
import {
  type Code,
  type CodeFormat,
  type CodeRequest,
  flattened,
  hasPlainText,
  isStreamed,
  type Printing,
  printing,
  realtimeEvents,
  sdkFields,
  simpleText,
  speechFile,
  usedIn,
} from './request.ts';
import { secretVariable } from './shell.ts';

interface Sdk {
  install: string;
  imports: string;
  /** The lines that make the client. */
  client(baseUrl: string): string;
}

const secret = `os.environ["${secretVariable}"]`;
const clientOf = (name: string, root: string) => (baseUrl: string) =>
  `client = ${name}(
    base_url=${notation.text(baseUrl + root)},
    api_key=${secret},
)`;
const openai: Sdk = {
  ...{ install: 'openai', imports: 'from openai import OpenAI', client: clientOf('OpenAI', '/v1') },
};
const anthropic: Sdk = {
  ...{ install: 'anthropic', imports: 'from anthropic import Anthropic', client: clientOf('Anthropic', '') },
};
const cohere: Sdk = { install: 'cohere', imports: 'import cohere', client: clientOf('cohere.ClientV2', '') };
const genai: Sdk = {
  install: 'google-genai',
  imports: 'from google import genai',
  client: baseUrl => `client = genai.Client(
    api_key=${secret},
    http_options={"base_url": ${notation.text(baseUrl)}},
)`,
};

/** The method that makes a request, and the lines that print what it returns. */
interface Template extends Printing {
  sdk: Sdk;
  method: string;
  streamMethod?: string;
  /** Returns the fields as the SDK takes them. */
  fields?(body: Record<string, unknown>, request: CodeRequest): Record<string, unknown>;
  /** Writes the expression for an attachment. */
  read?(name: string, before: string): string;
}

const templates: Record<Exclude<CodeFormat, 'realtime'>, Template> = {
  chat: {
    ...{ sdk: openai, method: 'chat.completions.create' },
    stream: `for chunk in stream:
    if chunk.choices:
        delta = chunk.choices[0].delta
        print(delta.content or "", end="", flush=True)
?        for call in delta.tool_calls or []:
?            print(call.function.name or "", call.function.arguments or "", end="")`,
    whole: `!print(response.choices[0].message.content)
?message = response.choices[0].message
?print(message.content)
?for call in message.tool_calls or []:
?    print(call.function.name, call.function.arguments)`,
  },
  messages: {
    ...{ sdk: anthropic, method: 'messages.create' },
    stream: `for event in stream:
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)
?    elif event.type == "content_block_start" and event.content_block.type == "tool_use":
?        print(event.content_block.name, end=" ")
?    elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
?        print(event.delta.partial_json, end="")`,
    whole: `for block in response.content:
    if block.type == "text":
        print(block.text)
?    elif block.type == "tool_use":
?        print(block.name, block.input)`,
  },
  'generate-content': {
    ...{ sdk: genai, method: 'models.generate_content', streamMethod: 'models.generate_content_stream' },
    read: name => `open(${notation.text(name)}, "rb").read()`,
    fields: (body, { model }) => {
      const { contents, config } = flattened(body);
      const settings = Object.keys(config).length > 0 && { config: snakeCase(config) };
      return { model, contents: simpleText(contents) ?? snakeCase(bytesIn(contents)), ...settings };
    },
    stream: `for chunk in stream:
    print(chunk.text or "", end="", flush=True)
?    for call in chunk.function_calls or []:
?        print(call.name, call.args)`,
    whole: `print(response.text or "")
?for call in response.function_calls or []:
?    print(call.name, call.args)`,
  },
  responses: {
    ...{ sdk: openai, method: 'responses.create' },
    stream: `for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)
?    elif event.type == "response.output_item.done" and event.item.type == "function_call":
?        print(event.item.name, event.item.arguments)`,
    whole: `print(response.output_text)
?for item in response.output:
?    if item.type == "function_call":
?        print(item.name, item.arguments)`,
  },
  embeddings: {
    ...{ sdk: openai, method: 'embeddings.create' },
    whole: 'for item in response.data:\n    print(item.index, item.embedding[:3])',
  },
  rerank: {
    ...{ sdk: cohere, method: 'rerank' },
    whole: 'for result in response.results:\n    print(result.index, result.relevance_score)',
  },
  moderations: {
    ...{ sdk: openai, method: 'moderations.create' },
    whole: 'for result in response.results:\n    print(result.flagged, result.category_scores.to_dict())',
  },
  images: {
    ...{ sdk: openai, method: 'images.generate' },
    whole: `image = response.data[0]
if image.b64_json:
    open("image.png", "wb").write(base64.b64decode(image.b64_json))
print(image.url or "image.png")`,
  },
  speech: {
    ...{ sdk: openai, method: 'audio.speech.create' },
    whole: request => `response.write_to_file(${notation.text(speechFile(request))})`,
  },
  transcriptions: {
    ...{ sdk: openai, method: 'audio.transcriptions.create' },
    whole: request => `print(${hasPlainText(request) ? 'response' : 'response.text'})`,
  },
};

/** Writes a request for the vendors' SDKs of Python. */
export function python(request: CodeRequest): Code {
  if (request.format === 'realtime') return realtime(request);
  const template = templates[request.format];
  const { body, files } = withFiles(sdkFields(request), template.read ?? encoded);
  const { lines, result } = printing(request, template);
  const method = (isStreamed(request) && template.streamMethod) || template.method;
  const fields = argumentsOf(request.format, template.fields?.(body, request) ?? body);
  return program(request, template.sdk, `${result} = client.${method}(\n${fields})\n${lines}`, files);
}

function program({ baseUrl }: CodeRequest, sdk: Sdk, main: string, files: Code['files'] = []): Code {
  const imports = ['import os', ...usedIn(main, ['base64']).map(name => `import ${name}`)].sort();
  return {
    code: `${imports.join('\n')}\n\n${sdk.imports}\n\n${sdk.client(baseUrl)}\n${main}`,
    install: `pip install ${sdk.install}`,
    files,
  };
}

function encoded(name: string, before: string): string {
  const read = `base64.b64encode(open(${notation.text(name)}, "rb").read()).decode()`;
  return before ? `${notation.text(before)} + ${read}` : read;
}

/** The arguments that the SDK's methods do not have, which go into the body as they are. */
const bodyOnly: Partial<Record<CodeFormat, readonly string[]>> = {
  messages: ['temperature', 'top_p', 'top_k'],
  chat: ['top_k', 'thinking', 'reasoning'],
};

function argumentsOf(format: CodeFormat, body: Record<string, unknown>): string {
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

function realtime(request: CodeRequest): Code {
  const { session, item } = realtimeEvents(request);
  const written = (value: unknown) => literal(value, notation, 1);
  const main = `with client.realtime.connect(model=${notation.text(request.model)}) as connection:
    connection.session.update(session=${written(session)})
    connection.conversation.item.create(item=${written(item)})
    connection.response.create()
    for event in connection:
        if event.type in ("response.output_text.delta", "response.output_audio_transcript.delta"):
            print(event.delta, end="", flush=True)
        elif event.type == "error":
            raise SystemExit(event.error.message)
        elif event.type == "response.done":
            break`;
  return program(request, { ...openai, install: '"openai[realtime]"' }, main);
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
