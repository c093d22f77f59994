import type { Language } from './request.ts';
import { secretPlaceholder, secretVariable, setSecret, shellWord } from './shell.ts';
import { codeFor, languageLabels } from './snippets.ts';

/** The values that a client of the gateway needs. */
export interface SetUpFacts {
  /** The gateway's address without a path. */
  baseUrl: string;
  /** The secret of the token; if it is undefined, the code has a placeholder. */
  secret: string | undefined;
  model: string;
}

/** One way to use a token: its steps, each a text to copy. */
interface SetUp {
  label: string;
  /** What it is for, in a sentence. */
  about: string;
  steps: { label: string; code: string }[];
}

/** Returns the ways to use a token in programs and tools. */
export function setUps(facts: SetUpFacts): SetUp[] {
  return [
    ...sdks(facts),
    messagesAgent(facts),
    responsesAgent(facts),
    generateContentAgent(facts),
    editor(facts),
  ];
}

const sdkLanguages: readonly Language[] = ['curl', 'python', 'typescript', 'go'];

function sdks({ baseUrl, secret, model }: SetUpFacts): SetUp[] {
  const messages = [{ role: 'user', content: 'Hello' }];
  return sdkLanguages.map(language => {
    const { code, install } = codeFor(language, {
      ...{ format: 'chat', baseUrl, path: '/v1/chat/completions', model },
      body: { model, messages, stream: true },
    });
    const label = languageLabels[language];
    const shell = install ? `${install}\n${setSecret(secret)}` : setSecret(secret);
    return {
      label,
      about: 'A first request. Every format and operation is in the Playground, under “Use it in code”.',
      steps: [
        { label: 'Shell', code: shell },
        { label, code },
      ],
    };
  });
}

function messagesAgent({ baseUrl, secret, model }: SetUpFacts): SetUp {
  return {
    label: 'Messages agent',
    about:
      'For coding agents that speak messages, such as Claude Code: set the variables, then start the agent.',
    steps: [
      {
        label: 'Shell',
        code: exported({
          ANTHROPIC_BASE_URL: baseUrl,
          ANTHROPIC_AUTH_TOKEN: secret || secretPlaceholder,
          ANTHROPIC_MODEL: model,
          ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        }),
      },
    ],
  };
}

function responsesAgent({ baseUrl, secret, model }: SetUpFacts): SetUp {
  const text = JSON.stringify;
  return {
    label: 'Responses agent',
    about:
      'For coding agents that speak responses, such as Codex: a provider in the configuration, and the variable.',
    steps: [
      {
        label: '~/.codex/config.toml',
        code: `model = ${text(model)}
model_provider = "model-gateway"

[model_providers.model-gateway]
name = "Model Gateway"
base_url = ${text(`${baseUrl}/v1`)}
env_key = "${secretVariable}"
wire_api = "responses"`,
      },
      { label: 'Shell', code: setSecret(secret) },
    ],
  };
}

function generateContentAgent({ baseUrl, secret, model }: SetUpFacts): SetUp {
  return {
    label: 'Generate-content agent',
    about:
      'For coding agents that speak generate-content, such as Gemini CLI: set the variables, then start the agent.',
    steps: [
      {
        label: 'Shell',
        code: exported({
          GOOGLE_GEMINI_BASE_URL: baseUrl,
          GEMINI_API_KEY: secret || secretPlaceholder,
          GEMINI_MODEL: model,
        }),
      },
    ],
  };
}

function editor({ baseUrl, secret, model }: SetUpFacts): SetUp {
  return {
    label: 'Editor or other tool',
    about:
      'For editors and tools with a field for an OpenAI-compatible provider, or that read these variables.',
    steps: [
      { label: 'Base URL', code: `${baseUrl}/v1` },
      { label: 'API key', code: secret || secretPlaceholder },
      { label: 'Model', code: model },
      {
        label: 'Shell',
        code: exported({ OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: secret || secretPlaceholder }),
      },
    ],
  };
}

function exported(variables: Record<string, string>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${shellWord(value)}`)
    .join('\n');
}
