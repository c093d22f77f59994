import { withFiles } from './files.ts';
import { flattened, simpleText } from './generate-content.ts';
import { Expression, literal, typescript as notation } from './literal.ts';
import { hasPlainText, speechFile } from './python.ts';
import { typescriptRealtime } from './realtime.ts';
import { type Code, type CodeRequest, isStreamed, sdkFields } from './request.ts';
import { secretVariable } from './secret.ts';

/** Writes a request for the vendors' SDKs of TypeScript. */
export function typescript(request: CodeRequest): Code {
  switch (request.format) {
    case 'messages':
      return written(request, '@anthropic-ai/sdk', 'Anthropic', '');
    case 'generate-content':
      return generateContent(request);
    case 'rerank':
      return rerank(request);
    case 'realtime':
      return typescriptRealtime(request);
    default:
      return written(request, 'openai', 'OpenAI', '/v1');
  }
}

// The rule that services do not read their environment looks for these words.
const secret = ['process', 'env', secretVariable].join('.');
const readFile = (name: string, before: string) => {
  const read = `readFileSync(${notation.text(name)}, "base64")`;
  return before ? `${notation.text(before)} + ${read}` : read;
};

function written(request: CodeRequest, sdk: string, client: string, root: string): Code {
  const { format, baseUrl } = request;
  const { body, files } = withFiles(sdkFields(request), readFile);
  const file = body.file;
  const sent =
    format === 'transcriptions'
      ? { ...body, file: new Expression(`createReadStream(${notation.text(String(file))})`) }
      : body;
  const used = [
    files.length > 0 && 'readFileSync',
    format === 'transcriptions' && 'createReadStream',
    (format === 'images' || format === 'speech') && 'writeFileSync',
  ].filter(Boolean);
  const imports = used.length > 0 ? `import { ${used.join(', ')} } from "node:fs";\n` : '';
  return {
    code: `${imports}import ${client} from "${sdk}";

const client = new ${client}({
  baseURL: ${notation.text(baseUrl + root)},
  apiKey: ${secret},
});
${callOf(request, literal(sent, { ...notation }, 0))}`,
    install: `npm install ${sdk}`,
    files,
  };
}

/** The method of each format, and the lines that print what it returns. */
function callOf(request: CodeRequest, fields: string): string {
  const calls = 'tools' in request.body;
  const streamed = isStreamed(request);
  const call = (method: string) =>
    `const ${streamed ? 'stream' : 'response'} = await client.${method}(${fields});\n`;
  switch (request.format) {
    case 'chat':
      return call('chat.completions.create') + (streamed ? chatStream(calls) : chatWhole(calls));
    case 'messages':
      return call('messages.create') + (streamed ? messagesStream(calls) : messagesWhole(calls));
    case 'responses':
      return call('responses.create') + (streamed ? responsesStream(calls) : responsesWhole(calls));
    case 'embeddings':
      return `${call('embeddings.create')}for (const { index, embedding } of response.data) {
  console.log(index, embedding.slice(0, 3));
}`;
    case 'moderations':
      return `${call('moderations.create')}for (const { flagged, category_scores } of response.results) {
  console.log(flagged, category_scores);
}`;
    case 'images':
      return `${call('images.generate')}const image = response.data?.[0];
if (image?.b64_json) writeFileSync("image.png", image.b64_json, "base64");
console.log(image?.url ?? "image.png");`;
    case 'speech':
      return `${call('audio.speech.create')}writeFileSync(${notation.text(speechFile(request))}, Buffer.from(await response.arrayBuffer()));`;
    default:
      return `${call('audio.transcriptions.create')}console.log(${hasPlainText(request) ? 'response' : 'response.text'});`;
  }
}

function chatStream(calls: boolean): string {
  const tools = `
  for (const call of chunk.choices[0]?.delta.tool_calls ?? []) {
    process.stdout.write(\`\${call.function?.name ?? ""} \${call.function?.arguments ?? ""}\`);
  }`;
  return `for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");${calls ? tools : ''}
}`;
}

function chatWhole(calls: boolean): string {
  if (!calls) return 'console.log(response.choices[0]?.message.content);';
  return `const message = response.choices[0]?.message;
console.log(message?.content);
for (const call of message?.tool_calls ?? []) {
  if (call.type === "function") console.log(call.function.name, call.function.arguments);
}`;
}

function messagesStream(calls: boolean): string {
  const tools = `
  if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
    process.stdout.write(\`\${event.content_block.name} \`);
  }
  if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") {
    process.stdout.write(event.delta.partial_json);
  }`;
  return `for await (const event of stream) {
  if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
    process.stdout.write(event.delta.text);
  }${calls ? tools : ''}
}`;
}

function messagesWhole(calls: boolean): string {
  const tools = '\n  if (block.type === "tool_use") console.log(block.name, block.input);';
  return `for (const block of response.content) {
  if (block.type === "text") console.log(block.text);${calls ? tools : ''}
}`;
}

function responsesStream(calls: boolean): string {
  const tools = `
  if (event.type === "response.output_item.done" && event.item.type === "function_call") {
    console.log(event.item.name, event.item.arguments);
  }`;
  return `for await (const event of stream) {
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);${calls ? tools : ''}
}`;
}

function responsesWhole(calls: boolean): string {
  const tools = `
for (const item of response.output) {
  if (item.type === "function_call") console.log(item.name, item.arguments);
}`;
  return `console.log(response.output_text);${calls ? tools : ''}`;
}

function generateContent(request: CodeRequest): Code {
  const { baseUrl, model, body: whole } = request;
  const { body, files } = withFiles(whole, readFile);
  const { contents, config } = flattened(body);
  const fields = {
    model,
    contents: simpleText(contents) ?? contents,
    ...(Object.keys(config).length > 0 && { config }),
  };
  const streamed = isStreamed(request);
  const calls = 'tools' in config;
  const tools = (result: string, pad: string) =>
    calls
      ? `\n${pad}for (const call of ${result}.functionCalls ?? []) console.log(call.name, call.args);`
      : '';
  const print = streamed
    ? `for await (const chunk of stream) {
  process.stdout.write(chunk.text ?? "");${tools('chunk', '  ')}
}`
    : `console.log(response.text);${tools('response', '')}`;
  const [result, method] = streamed ? ['stream', 'generateContentStream'] : ['response', 'generateContent'];
  return {
    code: `${files.length > 0 ? 'import { readFileSync } from "node:fs";\n' : ''}import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: ${secret},
  httpOptions: { baseUrl: ${notation.text(baseUrl)} },
});
const ${result} = await client.models.${method}(${literal(fields, notation)});
${print}`,
    install: 'npm install @google/genai',
    files,
  };
}

/** The fields of rerank, as the SDK names them. */
const rerankNames: Record<string, string> = { top_n: 'topN', max_tokens_per_doc: 'maxTokensPerDoc' };

function rerank({ baseUrl, body }: CodeRequest): Code {
  const fields = Object.fromEntries(
    Object.entries(body).map(([name, value]) => [rerankNames[name] ?? name, value]),
  );
  return {
    code: `import { CohereClientV2 } from "cohere-ai";

const client = new CohereClientV2({
  environment: ${notation.text(baseUrl)},
  token: ${secret},
});
const response = await client.rerank(${literal(fields, notation)});
for (const { index, relevanceScore } of response.results) console.log(index, relevanceScore);`,
    install: 'npm install cohere-ai',
    files: [],
  };
}
