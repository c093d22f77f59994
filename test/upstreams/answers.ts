import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { Format } from '../stack/formats.ts';

/** A server and a token for it. */
export interface Asked {
  /** Without a path. */
  url: string;
  token: string;
}

export interface Question {
  model: string;
  /** The user's message, whose last word selects the answer of the model. */
  text: string;
  maxTokens?: number;
  tools?: boolean;
}

/** An answer as each of the vendors' clients reads it. */
export interface Answer {
  text: string;
  /** The finish reason in the words of the chat format. */
  finish: string | null | undefined;
  input: number | undefined;
  output: number | undefined;
  calls: { name: string | undefined; arguments: unknown }[];
}

const description = 'The weather in a city';
const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const weather = { name: 'get_weather', description };
const options = { maxRetries: 0, timeout: 100_000 };

type Ask = (asked: Asked, question: Question, stream: boolean) => Promise<Answer>;

/** Asks a server with the client of a format. The temperature is 0. */
export const askIn: Record<Format, Ask> = {
  chat: askChat,
  messages: askMessages,
  'generate-content': askContents,
  responses: askResponses,
};

async function askChat({ url, token }: Asked, question: Question, stream: boolean): Promise<Answer> {
  const client = new OpenAI({ apiKey: token, baseURL: `${url}/v1`, ...options });
  const body = {
    model: question.model,
    messages: [{ role: 'user' as const, content: question.text }],
    temperature: 0,
    max_tokens: question.maxTokens ?? 100,
    ...(question.tools && {
      tools: [{ type: 'function' as const, function: { ...weather, parameters: schema } }],
    }),
  };
  const answer = stream
    ? await client.chat.completions
        .stream({ ...body, stream_options: { include_usage: true } })
        .finalChatCompletion()
    : await client.chat.completions.create(body);
  const choice = answer.choices[0];
  return {
    text: choice?.message.content ?? '',
    finish: choice?.finish_reason,
    input: answer.usage?.prompt_tokens,
    output: answer.usage?.completion_tokens,
    calls: (choice?.message.tool_calls ?? []).flatMap(call =>
      call.type === 'function' ? [called(call.function.name, call.function.arguments)] : [],
    ),
  };
}

const called = (name: string, json: string) => ({ name, arguments: JSON.parse(json) });

async function askMessages({ url, token }: Asked, question: Question, stream: boolean): Promise<Answer> {
  const client = new Anthropic({ apiKey: token, baseURL: url, ...options });
  const body = {
    model: question.model,
    messages: [{ role: 'user' as const, content: question.text }],
    temperature: 0,
    max_tokens: question.maxTokens ?? 100,
    ...(question.tools && { tools: [{ ...weather, input_schema: schema }] }),
  };
  const answer = await (stream ? client.messages.stream(body).finalMessage() : client.messages.create(body));
  const reasons: Record<string, string> = { end_turn: 'stop', max_tokens: 'length', tool_use: 'tool_calls' };
  return {
    text: answer.content.map(part => (part.type === 'text' ? part.text : '')).join(''),
    finish: reasons[answer.stop_reason ?? ''] ?? answer.stop_reason,
    input: answer.usage.input_tokens,
    output: answer.usage.output_tokens,
    calls: answer.content.flatMap(part =>
      part.type === 'tool_use' ? [{ name: part.name, arguments: part.input }] : [],
    ),
  };
}

async function askContents({ url, token }: Asked, question: Question, stream: boolean): Promise<Answer> {
  const { models } = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } });
  const asked = {
    model: question.model,
    contents: question.text,
    config: {
      temperature: 0,
      maxOutputTokens: question.maxTokens ?? 100,
      ...(question.tools && {
        tools: [{ functionDeclarations: [{ ...weather, parametersJsonSchema: schema }] }],
      }),
    },
  };
  const chunks = [];
  if (stream) for await (const chunk of await models.generateContentStream(asked)) chunks.push(chunk);
  else chunks.push(await models.generateContent(asked));
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall ? [{ name: functionCall.name, arguments: functionCall.args }] : [],
  );
  const last = chunks.at(-1);
  const reason = last?.candidates?.[0]?.finishReason;
  // Google has no finish reason of its own for calls.
  const reasons: Record<string, string> = {
    STOP: calls.length > 0 ? 'tool_calls' : 'stop',
    MAX_TOKENS: 'length',
  };
  return {
    text: parts.map(({ text = '' }) => text).join(''),
    finish: reasons[reason ?? ''] ?? reason,
    input: last?.usageMetadata?.promptTokenCount,
    output: last?.usageMetadata?.candidatesTokenCount,
    calls,
  };
}

async function askResponses({ url, token }: Asked, question: Question, stream: boolean): Promise<Answer> {
  const client = new OpenAI({ apiKey: token, baseURL: `${url}/v1`, ...options });
  const body = {
    model: question.model,
    input: question.text,
    temperature: 0,
    max_output_tokens: question.maxTokens ?? 100,
    ...(question.tools && {
      tools: [{ type: 'function' as const, ...weather, parameters: schema, strict: false }],
    }),
  };
  const answer = await (stream
    ? client.responses.stream(body).finalResponse()
    : client.responses.create(body));
  const calls = answer.output.flatMap(item =>
    item.type === 'function_call' ? [called(item.name, item.arguments)] : [],
  );
  const ended = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    text: answer.output
      .flatMap(item => (item.type === 'message' ? item.content : []))
      .map(part => (part.type === 'output_text' ? part.text : ''))
      .join(''),
    finish: answer.status === 'incomplete' ? 'length' : ended,
    input: answer.usage?.input_tokens,
    output: answer.usage?.output_tokens,
    calls,
  };
}
