import {
  fromErrorEvent,
  GatewayError,
  type Operation,
  toErrorEvent,
  type WireFormat,
} from '@model-gateway/canonical';
import type { Endpoint } from '@model-gateway/ingress';
import { describe, expect, test } from 'vitest';
import { chatCompletions } from '../../shared/formats/src/chat/endpoint.ts';
import { completions } from '../../shared/formats/src/completions/endpoint.ts';
import { findDialect } from '../../shared/formats/src/dialects.ts';
import { batchEmbedContents, embedContent } from '../../shared/formats/src/embed-content.ts';
import { embeddings } from '../../shared/formats/src/embeddings.ts';
import { generateContent } from '../../shared/formats/src/generate-content/endpoint.ts';
import { generations } from '../../shared/formats/src/images/endpoint.ts';
import { messages } from '../../shared/formats/src/messages/endpoint.ts';
import { rerank } from '../../shared/formats/src/rerank.ts';
import { responsesFormat } from '../../shared/formats/src/responses/endpoint.ts';
import { speech } from '../../shared/formats/src/speech.ts';
import { transcriptions } from '../../shared/formats/src/transcriptions/endpoint.ts';
import { withPath } from '../../shared/formats/src/upstream/failure-body.ts';
import { refuse, unsupported } from '../../shared/formats/src/upstream/request-body.ts';

const clients = {
  chat: chatCompletions,
  completions,
  messages,
  'generate-content': generateContent,
  responses: responsesFormat,
  embeddings,
  embedContent,
  batchEmbedContents,
  rerank,
  images: generations,
  speech,
  transcriptions,
} satisfies Record<string, Pick<Endpoint, 'fieldNames'>>;
type Client = keyof typeof clients;

/** Returns an error as the ingress renders it to a client, after its way over the bus. */
function received(error: GatewayError, client: Client): GatewayError {
  const event = JSON.parse(JSON.stringify(toErrorEvent(error)));
  return fromErrorEvent(event, clients[client].fieldNames);
}

const operationOf: Partial<Record<WireFormat, Operation>> = {
  embeddings: 'embed',
  'embed-content': 'embed',
  'cohere-embed': 'embed',
  'vertex-embed': 'embed',
  'vertex-embed-content': 'embed',
  'titan-embed': 'embed',
  'tei-rerank': 'rerank',
  'text-to-speech': 'speech',
  listen: 'transcribe',
};

test.each<[upstream: WireFormat, param: string, client: Client, expected: string]>([
  ['chat', 'stop', 'messages', 'stop_sequences'],
  ['messages', 'stop_sequences', 'chat', 'stop'],
  ['messages', 'max_tokens', 'chat', 'max_completion_tokens'],
  ['chat', 'max_completion_tokens', 'messages', 'max_tokens'],
  ['chat', 'response_format', 'messages', 'output_config.format'],
  ['chat', 'response_format.json_schema', 'messages', 'output_config.format.json_schema'],
  ['chat', 'messages[0].role', 'messages', 'messages[0].role'],
  ['chat', 'messages', 'generate-content', 'contents'],
  ['chat', 'stopped', 'messages', 'stopped'],
  ['chat', 'tools', 'messages', 'tools'],
  ['chat', 'messages[2]', 'responses', 'input[2]'],
  ['chat', 'presence_penalty', 'responses', 'presence_penalty'],
  ['responses', 'frequency_penalty', 'chat', 'frequency_penalty'],
  ['chat', 'messages', 'completions', 'prompt'],
  ['chat', 'top_p', 'generate-content', 'generationConfig.topP'],
  ['responses', 'text.format.schema', 'chat', 'response_format.schema'],
  ['generate-content', 'generationConfig.candidateCount', 'chat', 'n'],
  ['embeddings', 'input[3]', 'batchEmbedContents', 'requests[3]'],
  ['embeddings', 'dimensions', 'batchEmbedContents', 'outputDimensionality'],
  ['embeddings', 'input', 'embedContent', 'content'],
  ['embeddings', 'input[0]', 'embedContent', 'content'],
  ['cohere-embed', 'output_dimension', 'embeddings', 'dimensions'],
  ['vertex-embed', 'parameters.outputDimensionality', 'embeddings', 'dimensions'],
  ['vertex-embed', 'instances[1]', 'embeddings', 'input[1]'],
  ['vertex-embed-content', 'embedContentConfig.outputDimensionality', 'embeddings', 'dimensions'],
  ['titan-embed', 'inputText', 'embeddings', 'input'],
  ['titan-embed', 'dimensions', 'embedContent', 'outputDimensionality'],
  ['embed-content', 'requests[3].content.parts[0]', 'embeddings', 'input[3]'],
  ['embed-content', 'requests[3]', 'embeddings', 'input[3]'],
  ['embed-content', 'requests', 'embeddings', 'input'],
  ['embed-content', 'requests[0].outputDimensionality', 'embeddings', 'dimensions'],
  ['tei-rerank', 'texts[1]', 'rerank', 'documents[1]'],
  ['text-to-speech', 'text', 'speech', 'input'],
  ['text-to-speech', 'voice_id', 'speech', 'voice'],
  ['text-to-speech', 'output_format', 'speech', 'response_format'],
  ['text-to-speech', 'voice_settings.speed', 'speech', 'speed'],
  ['listen', 'language', 'transcriptions', 'language'],
  ['listen', 'keyterm', 'transcriptions', 'keywords'],
  ['listen', 'keywords', 'transcriptions', 'keywords'],
])(
  'an error of an upstream of %s about its field %s names, for a client of %s, %s',
  (upstream, param, client, expected) => {
    const dialect = findDialect(operationOf[upstream] ?? 'generate', upstream, 'canonical');
    if (!dialect) throw new Error(`no dialect of ${upstream}`);
    const sentence = `Invalid '${param}': no.`;
    const error = withPath(new GatewayError('invalid-request', sentence, { param }), dialect);
    expect(received(error, client)).toMatchObject({ message: sentence, details: { param: expected } });
  },
);

describe("the gateway's own error about a field", () => {
  test.each<[error: GatewayError, client: Client, param: string]>([
    [unsupported('stop', 'no'), 'chat', 'stop'],
    [unsupported('stop', 'no'), 'messages', 'stop_sequences'],
    [unsupported('stop', 'no'), 'generate-content', 'generationConfig.stopSequences'],
    [unsupported('output', 'no'), 'chat', 'response_format'],
    [unsupported('maxTokens', 'no'), 'completions', 'max_tokens'],
    [unsupported('messages[2].content[0]', 'no'), 'responses', 'input[2].content[0]'],
    [unsupported('inputs', 'no'), 'embedContent', 'content'],
    [unsupported('inputs[1]', 'no'), 'embeddings', 'input[1]'],
    [unsupported('images', 'no'), 'images', 'image'],
    [unsupported('translate', 'no'), 'transcriptions', 'model'],
    [unsupported('format', 'no'), 'speech', 'response_format'],
    [unsupported('logitBias', 'no'), 'chat', 'logit_bias'],
  ])('it names the field of the client: %s for %s is %s', (error, client, param) => {
    expect(received(error, client)).toMatchObject({
      message: `Unsupported value for '${param}': no.`,
      details: { param, code: 'unsupported_value' },
    });
  });

  test('a text of the client that looks like the placeholder stays', () => {
    const error = () => refuse('toolChoice', "Invalid '{path}': the request has no tool '{path}'.");
    expect(error).toThrow(GatewayError);
    try {
      error();
    } catch (thrown) {
      const { message } = received(thrown as GatewayError, 'responses');
      expect(message).toBe("Invalid 'tool_choice': the request has no tool '{path}'.");
    }
  });
});
