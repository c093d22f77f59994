/** The gateway.yaml of the sample: several vendors, which are all the simulator, and one server that is down. */
export const sampleConfig = `
providers:
  - { name: openai, kind: openai, baseUrl: "SIMULATOR/v1", apiKey: { value: sk-sample } }
  - { name: anthropic, kind: anthropic, baseUrl: SIMULATOR, apiKey: { value: sk-sample } }
  - { name: gemini, kind: gemini, baseUrl: SIMULATOR, apiKey: { value: sk-sample } }
  - { name: gpu-west, kind: openai-compatible, baseUrl: "SIMULATOR/v1", headers: { x-team: platform } }
  - { name: gpu-east, kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" }
models:
  - name: assistant
    targets:
      - { provider: openai, model: sim-fast, weight: 3 }
      - { provider: anthropic, model: sim-fast, weight: 2 }
      - { provider: gpu-east, model: qwen3-235b, weight: 1 }
    price: { input: 2.5, cachedInput: 0.25, output: 10 }
    limits: { context: 400000, maxOutput: 128000 }
    fallbacks: { contextLength: [long-context], rateLimit: [small], outage: [small] }
  - { name: small, targets: [ { provider: gpu-west, model: sim-fast } ], price: { input: 0.1, output: 0.4 }, limits: { context: 32000 } }
  - { name: long-context, targets: [ { provider: gemini, model: sim-fast } ], price: { input: 1.25, output: 10 }, limits: { context: 1000000 } }
  - { name: steady, targets: [ { provider: gpu-west, model: fault-500 }, { provider: anthropic, model: sim-fast } ], price: { input: 3, output: 15 }, limits: { context: 200000 } }
  - { name: "house/*", targets: [ { provider: gpu-west, model: "*" } ] }
  - { name: embedding, targets: [ { provider: openai, model: sim-embedding } ], price: { input: 0.02 } }
`;

/** The models of past requests: how often each is used, where, and about how long it takes to begin, in milliseconds. */
export const sampleModels = [
  { name: 'assistant', provider: 'openai', upstream: 'sim-fast', part: 0.4, firstMs: 420 },
  { name: 'assistant', provider: 'anthropic', upstream: 'sim-fast', part: 0.2, firstMs: 560 },
  { name: 'small', provider: 'gpu-west', upstream: 'sim-fast', part: 0.22, firstMs: 110 },
  { name: 'long-context', provider: 'gemini', upstream: 'sim-fast', part: 0.1, firstMs: 900 },
  { name: 'steady', provider: 'anthropic', upstream: 'sim-fast', part: 0.08, firstMs: 610 },
] as const;

/** The projects of the sample, their part of the requests, and the users who own their tokens. */
export const sampleProjects = [
  { name: 'search', part: 0.5, owners: ['ada', 'grace'], budget: 80, team: 'search' },
  { name: 'support', part: 0.3, owners: ['linus', 'margaret'], budget: 40, team: 'care' },
  { name: 'research', part: 0.2, owners: ['barbara'], budget: 60, team: 'science' },
] as const;
