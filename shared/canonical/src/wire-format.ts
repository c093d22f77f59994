/** Wire formats of generate requests. */
export const generateFormats = [
  'chat',
  'messages',
  'generate-content',
  'responses',
  'completions',
  'converse',
  'cohere-chat',
] as const;
export type GenerateFormat = (typeof generateFormats)[number];

/** Wire formats of clients and upstreams: those of generate, then those of the other operations. */
export const wireFormats = [
  ...generateFormats,
  'embeddings',
  'embed-content',
  'cohere-embed',
  'vertex-embed',
  'vertex-embed-content',
  'titan-embed',
  'voyage-embed',
  'jina-embed',
  'nim-embed',
  'rerank',
  'cohere-rerank',
  'voyage-rerank',
  'jina-rerank',
  'tei-rerank',
  'moderations',
  'images',
  'speech',
  'text-to-speech',
  'transcriptions',
  'listen',
  'realtime',
] as const;
export type WireFormat = (typeof wireFormats)[number];
