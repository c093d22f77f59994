/*
 * Every wire format is a row of one of these four lists. A format of generate has the `tag` of its vendor's signatures in fields of other
 * formats: two letters that no other format has, since clients hold tagged signatures. Providers of OpenAI-style kinds may choose those
 * with `api`. `tier` says which upstreams a translated request asks for the service tier `flex` or `priority`: all, the vendor of the
 * format alone since compatible servers may not know the field, or none.
 */

/** Formats of generate that clients may use. */
const generateOfClients = {
  chat: { tag: 'cc', api: true, tier: 'original' },
  messages: { tag: 'am', api: false, tier: 'none' },
  'generate-content': { tag: 'gg', api: false, tier: 'all' },
  responses: { tag: 'or', api: true, tier: 'original' },
  completions: { tag: 'tc', api: true, tier: 'none' },
} as const;

/** Formats of generate of upstreams alone. */
const generateOfUpstreams = {
  converse: { tag: 'bc', api: false, tier: 'all' },
  'cohere-chat': { tag: 'co', api: false, tier: 'none' },
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

const generate = { ...generateOfClients, ...generateOfUpstreams };

/** A wire format of generate requests. */
export type GenerateFormat = keyof typeof generate;
const generateFormats = Object.keys(generate) as GenerateFormat[];

/** The tag of each format of generate. */
export const signatureTags = Object.fromEntries(
  generateFormats.map(format => [format, generate[format].tag]),
) as Record<GenerateFormat, string>;

/** The upstreams of a format that translated requests ask for a service tier. */
export function askedForTier(format: WireFormat): 'all' | 'original' | 'none' {
  return format in generate ? generate[format as GenerateFormat].tier : 'none';
}

/** A format of generate that a provider of an OpenAI-style kind may choose. */
export type Api = {
  [F in GenerateFormat]: (typeof generate)[F]['api'] extends true ? F : never;
}[GenerateFormat];
export const apis = generateFormats.filter((format): format is Api => generate[format].api);

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
