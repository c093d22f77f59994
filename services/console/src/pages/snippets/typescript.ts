import { withFiles } from './files.ts';
import { Expression, literal, typescript as notation } from './literal.ts';
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
  /** The class of the client, and the options that it is made with. */
  client: string;
  options(baseUrl: string): string;
}

// The rule that services do not read their environment looks for these words.
const secret = ['process', 'env', secretVariable].join('.');
const optionsOf = (root: string) => (baseUrl: string) =>
  `baseURL: ${notation.text(baseUrl + root)},\n  apiKey: ${secret}`;
const openai: Sdk = {
  ...{ install: 'openai', imports: 'import OpenAI from "openai";', client: 'OpenAI' },
  options: optionsOf('/v1'),
};
const anthropic: Sdk = {
  ...{ install: '@anthropic-ai/sdk', imports: 'import Anthropic from "@anthropic-ai/sdk";' },
  ...{ client: 'Anthropic', options: optionsOf('') },
};
const genai: Sdk = {
  ...{
    install: '@google/genai',
    imports: 'import { GoogleGenAI } from "@google/genai";',
    client: 'GoogleGenAI',
  },
  options: baseUrl => `apiKey: ${secret},\n  httpOptions: { baseUrl: ${notation.text(baseUrl)} }`,
};
const cohere: Sdk = {
  ...{
    install: 'cohere-ai',
    imports: 'import { CohereClientV2 } from "cohere-ai";',
    client: 'CohereClientV2',
  },
  options: baseUrl => `environment: ${notation.text(baseUrl)},\n  token: ${secret}`,
};

/** The method that makes a request, and the lines that print what it returns. */
interface Template extends Printing {
  sdk: Sdk;
  method: string;
  streamMethod?: string;
  /** Returns the fields as the SDK takes them. */
  fields?(body: Record<string, unknown>, request: CodeRequest): Record<string, unknown>;
}

const templates: Record<Exclude<CodeFormat, 'realtime'>, Template> = {
  chat: {
    ...{ sdk: openai, method: 'chat.completions.create' },
    stream: `for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
?  for (const call of chunk.choices[0]?.delta.tool_calls ?? []) {
?    process.stdout.write(\`\${call.function?.name ?? ""} \${call.function?.arguments ?? ""}\`);
?  }
}`,
    whole: `!console.log(response.choices[0]?.message.content);
?const message = response.choices[0]?.message;
?console.log(message?.content);
?for (const call of message?.tool_calls ?? []) {
?  if (call.type === "function") console.log(call.function.name, call.function.arguments);
?}`,
  },
  messages: {
    ...{ sdk: anthropic, method: 'messages.create' },
    stream: `for await (const event of stream) {
  if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
    process.stdout.write(event.delta.text);
  }
?  if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
?    process.stdout.write(\`\${event.content_block.name} \`);
?  }
?  if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") {
?    process.stdout.write(event.delta.partial_json);
?  }
}`,
    whole: `for (const block of response.content) {
  if (block.type === "text") console.log(block.text);
?  if (block.type === "tool_use") console.log(block.name, block.input);
}`,
  },
  'generate-content': {
    ...{ sdk: genai, method: 'models.generateContent', streamMethod: 'models.generateContentStream' },
    fields: (body, { model }) => {
      const { contents, config } = flattened(body);
      const settings = Object.keys(config).length > 0 && { config };
      return { model, contents: simpleText(contents) ?? contents, ...settings };
    },
    stream: `for await (const chunk of stream) {
  process.stdout.write(chunk.text ?? "");
?  for (const call of chunk.functionCalls ?? []) console.log(call.name, call.args);
}`,
    whole: `console.log(response.text);
?for (const call of response.functionCalls ?? []) console.log(call.name, call.args);`,
  },
  responses: {
    ...{ sdk: openai, method: 'responses.create' },
    stream: `for await (const event of stream) {
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
?  if (event.type === "response.output_item.done" && event.item.type === "function_call") {
?    console.log(event.item.name, event.item.arguments);
?  }
}`,
    whole: `console.log(response.output_text);
?for (const item of response.output) {
?  if (item.type === "function_call") console.log(item.name, item.arguments);
?}`,
  },
  embeddings: {
    ...{ sdk: openai, method: 'embeddings.create' },
    whole: `for (const { index, embedding } of response.data) {
  console.log(index, embedding.slice(0, 3));
}`,
  },
  rerank: {
    ...{ sdk: cohere, method: 'rerank' },
    fields: ({ top_n: topN, max_tokens_per_doc: maxTokensPerDoc, ...body }) => ({
      ...{ ...body, topN, maxTokensPerDoc },
    }),
    whole: 'for (const { index, relevanceScore } of response.results) console.log(index, relevanceScore);',
  },
  moderations: {
    ...{ sdk: openai, method: 'moderations.create' },
    whole: `for (const { flagged, category_scores } of response.results) {
  console.log(flagged, category_scores);
}`,
  },
  images: {
    ...{ sdk: openai, method: 'images.generate' },
    whole: `const image = response.data?.[0];
if (image?.b64_json) writeFileSync("image.png", image.b64_json, "base64");
console.log(image?.url ?? "image.png");`,
  },
  speech: {
    ...{ sdk: openai, method: 'audio.speech.create' },
    whole: request =>
      `writeFileSync(${notation.text(speechFile(request))}, Buffer.from(await response.arrayBuffer()));`,
  },
  transcriptions: {
    ...{ sdk: openai, method: 'audio.transcriptions.create' },
    fields: body => ({
      ...{ ...body, file: new Expression(`createReadStream(${notation.text(String(body.file))})`) },
    }),
    whole: request => `console.log(${hasPlainText(request) ? 'response' : 'response.text'});`,
  },
};

/** Writes a request for the vendors' SDKs of TypeScript. */
export function typescript(request: CodeRequest): Code {
  if (request.format === 'realtime') return realtime(request);
  const template = templates[request.format];
  const { body, files } = withFiles(sdkFields(request), readFile);
  const { lines, result } = printing(request, template);
  const method = (isStreamed(request) && template.streamMethod) || template.method;
  const fields = literal(template.fields?.(body, request) ?? body, notation);
  const call = `const ${result} = await client.${method}(${fields});`;
  return program(request, template.sdk, `${call}\n${lines}`, files);
}

function program({ baseUrl }: CodeRequest, sdk: Sdk, main: string, files: Code['files'] = []): Code {
  const used = usedIn(main, ['readFileSync', 'createReadStream', 'writeFileSync']);
  const imports = used.length > 0 ? `import { ${used.join(', ')} } from "node:fs";\n` : '';
  return {
    code: `${imports}${sdk.imports}

const client = new ${sdk.client}({
  ${sdk.options(baseUrl)},
});
${main}`,
    install: `npm install ${sdk.install}`,
    files,
  };
}

function readFile(name: string, before: string): string {
  const read = `readFileSync(${notation.text(name)}, "base64")`;
  return before ? `${notation.text(before)} + ${read}` : read;
}

/** Writes a session for the SDK, which connects by TLS alone; without TLS for the WebSocket of Node. */
function realtime(request: CodeRequest): Code {
  const { session, item } = realtimeEvents(request);
  const written = (value: unknown) => literal(value, notation, 1);
  const sent = `  send({ type: "session.update", session: ${written(session)} });
  send({ type: "conversation.item.create", item: ${written(item)} });
  send({ type: "response.create" });`;
  if (request.baseUrl.startsWith('https:'))
    return realtimeOfSdk(request, sent.replaceAll(/^ {2}send/gm, '  session.send'));
  const query = `?model=${encodeURIComponent(request.model)}`;
  const url = `${request.baseUrl.replace(/^http/, 'ws')}/v1/realtime${query}`;
  return {
    code: `// The SDK "openai" connects by wss alone. For an address without TLS,
// this is the WebSocket of Node 22 and later.
const session = new WebSocket(${notation.text(url)}, [
  "realtime",
  \`openai-insecure-api-key.\${${secret}}\`,
]);
const send = (event: object) => session.send(JSON.stringify(event));
session.onopen = () => {
${sent}
};
session.onmessage = ({ data }) => {
  const event = JSON.parse(data);
  if (
    event.type === "response.output_text.delta" ||
    event.type === "response.output_audio_transcript.delta"
  ) {
    process.stdout.write(event.delta);
  }
  if (event.type === "error") console.error(event.error.message);
  if (event.type === "error" || event.type === "response.done") session.close();
};`,
    install: undefined,
    files: [],
  };
}

function realtimeOfSdk(request: CodeRequest, sent: string): Code {
  const sdk: Sdk = {
    ...openai,
    install: 'openai ws',
    imports: `${openai.imports}\nimport { OpenAIRealtimeWS } from "openai/realtime/ws";`,
  };
  const main = `const session = new OpenAIRealtimeWS({ model: ${notation.text(request.model)} }, client);
session.on("session.created", () => {
${sent}
});
session.on("response.output_text.delta", ({ delta }) => process.stdout.write(delta));
session.on("response.output_audio_transcript.delta", ({ delta }) => process.stdout.write(delta));
session.on("response.done", () => session.close());
session.on("error", (error) => {
  console.error(error.message);
  session.close();
});`;
  return program(request, sdk, main);
}
