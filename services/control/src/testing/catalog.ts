/** Returns a gateway.yaml with a secret by value, one in a header and one by reference. */
export function catalogText(model: string, more = ''): string {
  return `
providers:
  - { name: house, kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1", apiKey: { value: secret-by-value } }
  - { name: openai, kind: openai, apiKey: { env: OPENAI_API_KEY }, headers: { x-org: secret-header } }
models:
  - { name: ${model}, targets: [ { provider: house, model: qwen3 } ] }
${more}`;
}
