/** The values that a code snippet needs. */
interface SnippetFacts {
  /** The base URL, which ends in `/v1`. */
  baseUrl: string;
  token: string;
  model: string;
}

interface Snippet {
  label: string;
  code: string;
}

/** Returns the same request in several languages. */
export function snippets(facts: SnippetFacts): Snippet[] {
  return [
    { label: 'curl', code: curl(facts) },
    { label: 'Node', code: node(facts) },
    { label: 'Python', code: python(facts) },
  ];
}

function curl({ baseUrl, token, model }: SnippetFacts): string {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] });
  return `curl -N ${baseUrl}/chat/completions \\
  -H ${quoted(`Authorization: Bearer ${token}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(body)}`;
}

function node({ baseUrl, token, model }: SnippetFacts): string {
  return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: ${JSON.stringify(token)},
});
const stream = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: "user", content: "Hello" }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
}`;
}

function python({ baseUrl, token, model }: SnippetFacts): string {
  return `from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(baseUrl)},
    api_key=${JSON.stringify(token)},
)
stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
}

/** Quotes a text as one shell word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
