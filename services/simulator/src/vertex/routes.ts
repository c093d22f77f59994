import type { Express } from 'express';
import { chat } from '../chat/format.ts';
import { generateContent } from '../generate-content/format.ts';
import { parse as parseGenerate } from '../generate-content/parse.ts';
import { IssuedTokens } from '../issued-tokens.ts';
import { parseCount } from '../messages/parse.ts';
import type { Responder } from '../responder/responder.ts';
import { countRoute, generateRoute, postJson } from '../routes.ts';
import type { Traffic } from '../traffic.ts';
import { embedContentAtVertex, predict } from '../vectors/google.ts';
import { googleKey, versioned, vertexApi, vertexFormat, vertexMessages } from './format.ts';
import { addGoogleAccount } from './google-account.ts';

/** Adds Vertex AI: models of Google, of Anthropic, and of others in OpenAI's format, with a service account. */
export function addVertex(app: Express, responder: Responder, traffic: Traffic): void {
  const tokens = new IssuedTokens();
  const key = googleKey(tokens);
  addGoogleAccount(app, tokens, traffic);
  const gemini = vertexFormat(generateContent, key);
  const claude = vertexMessages(key);
  app.post(google('(?:generateContent|streamGenerateContent)'), generateRoute(gemini, responder, traffic));
  // A count of tokens has the fields of the request itself.
  app.post(
    google('countTokens'),
    countRoute(gemini, traffic, parseGenerate, prompt => ({ totalTokens: responder.count(prompt) })),
  );
  app.post(google('predict'), postJson(vertexApi(predict, key), traffic));
  app.post(google('embedContent'), postJson(vertexApi(embedContentAtVertex, key), traffic));
  app.post(
    placed('/publishers/anthropic/models/count-tokens:rawPredict'),
    countRoute(
      claude,
      traffic,
      (body, headers) => {
        const { fields, header } = versioned(body, headers);
        return parseCount(fields, header);
      },
      prompt => ({ input_tokens: responder.count(prompt) }),
    ),
  );
  app.post(
    placed('/publishers/anthropic/models/[^/]+:(?:rawPredict|streamRawPredict)'),
    generateRoute(claude, responder, traffic),
  );
  app.post(
    placed('/endpoints/openapi/chat/completions'),
    generateRoute(vertexFormat(chat, key), responder, traffic),
  );
}

/** A path below a project and a location. */
function placed(path: string): RegExp {
  return new RegExp(`^/v1(?:beta1)?/projects/[^/]+/locations/[^/]+${path}$`);
}

/** The path of a method of Google's models, which an API key alone reaches without a project. */
function google(method: string): RegExp {
  return new RegExp(
    `^/v1(?:beta1)?(?:/projects/[^/]+/locations/[^/]+)?/publishers/google/models/[^/]+:${method}$`,
  );
}
