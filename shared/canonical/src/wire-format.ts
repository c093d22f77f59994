/*
 * Every wire format is a row of one of these four lists. The value of a format of generate is the tag of its vendor's signatures in fields of
 * other formats: two letters that no other format has, since clients hold tagged signatures.
 */

/** Formats of generate that clients may use. */
const generateOfClients = {
  chat: 'cc',
  messages: 'am',
  'generate-content': 'gg',
  responses: 'or',
  completions: 'tc',
} as const;

/** Formats of generate of upstreams alone. */
const generateOfUpstreams = {
  converse: 'bc',
  'cohere-chat': 'co',
} as const;

/** Formats of other operations that clients may use. */
const othersOfClients = [
  'embeddings',
  'embed-content',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
  'realtime',
] as const;

/** Formats of other operations of upstreams alone. */
const othersOfUpstreams = [
  'cohere-embed',
  'vertex-embed',
  'vertex-embed-content',
  'titan-embed',
  'voyage-embed',
  'jina-embed',
  'nim-embed',
  'cohere-rerank',
  'voyage-rerank',
  'jina-rerank',
  'tei-rerank',
  'text-to-speech',
  'listen',
] as const;

/** The tag of each format of generate. */
export const signatureTags = { ...generateOfClients, ...generateOfUpstreams };

/** A wire format of generate requests. */
export type GenerateFormat = keyof typeof signatureTags;

/** The formats of generate that a provider of an OpenAI-style kind may choose. */
export const apis = ['chat', 'responses', 'completions'] as const satisfies GenerateFormat[];
export type Api = (typeof apis)[number];

/** The wire formats that clients may use. */
export const clientFormats = [
  ...(Object.keys(generateOfClients) as (keyof typeof generateOfClients)[]),
  ...othersOfClients,
] as const;
export type ClientFormat = (typeof clientFormats)[number];

/** Wire formats of clients and upstreams. */
export const wireFormats = [
  ...clientFormats,
  ...(Object.keys(generateOfUpstreams) as (keyof typeof generateOfUpstreams)[]),
  ...othersOfUpstreams,
] as const;
export type WireFormat = (typeof wireFormats)[number];
