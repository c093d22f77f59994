/** The wire formats that are translated into each other, of clients and upstreams. */
export const formats = ['chat', 'messages', 'generate-content', 'responses'] as const;
export type Format = (typeof formats)[number];

/** A provider for each format, named by a prefix and the format, all at one address. */
export function providersAt(url: string, prefix = ''): object[] {
  const compatible = { kind: 'openai-compatible', baseUrl: `${url}/v1` };
  const providers: Record<Format, object> = {
    chat: { ...compatible, api: 'chat' },
    messages: { kind: 'anthropic', baseUrl: url, apiKey: { value: 'key' } },
    'generate-content': { kind: 'gemini', baseUrl: url, apiKey: { value: 'key' } },
    responses: { ...compatible, api: 'responses' },
  };
  return Object.entries(providers).map(([format, provider]) => ({ name: prefix + format, ...provider }));
}
