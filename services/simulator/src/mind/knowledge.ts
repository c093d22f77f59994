/** Something the model can explain, and the words by which it is asked for. */
interface Topic {
  asked: RegExp[];
  says: string;
}

const topics: Topic[] = [
  {
    asked: [
      /\bwho are you\b/,
      /\bsimulator\b/,
      /\bare you (?:a |an )?(?:real|ai|model|human)/,
      /\byour name\b/,
    ],
    says: 'I am the simulator, a model without cost that comes with the gateway. I speak the same wire formats as the real providers, stream my answers token by token, call tools and fill in JSON schemas, but I do not think: the same request always gets the same answer. I am here so that you can try everything before you add a provider of your own.',
  },
  {
    asked: [
      /\bproviders?\b/,
      /\badd(?:ing)? (?:\w+ ){0,3}(?:provider|model|server)/,
      /\byaml\b/,
      /\bollama\b/,
      /\bvllm\b/,
    ],
    says: 'To add a provider, list it in gateway.yaml: a name, its kind (openai, openai-compatible, ollama and so on), where its API key is found, and a base URL if it is your own server. Then list a model with that provider among its targets. The file is checked when it changes and takes effect at once, without a restart. When you run npm start without such a file, providers whose keys are in the environment are added for you.',
  },
  {
    asked: [/\bplayground\b/, /\bconsole\b/, /\btry (?:it|a model|models)\b/, /\bbrowser\b/],
    says: 'The Playground is the page of the console where you talk to any model from your browser. Choose a model, write a message and watch the answer arrive token by token; it uses the same base URL as your programs do, so what works there works in your code. The console also shows tokens, usage, requests, providers and models.',
  },
  {
    asked: [
      /\b(?:tokens?|keys?)\b.*\b(?:check|valid|verif|revo|auth)/,
      /\b(?:check|valid|verif|revo|auth)\w*\b.*\b(?:tokens?|keys?)\b/,
      /\bauthenticat/,
      /\brevo(?:ke|cation)/,
    ],
    says: 'A token is checked where the request comes in. Only the SHA-256 digest of each token is kept, never the token itself, and every ingress holds the digests in memory, fed by a watch on NATS KV. So a check needs no database: a valid token works even while the database is down, and a revoked one stops working everywhere in well under a second.',
  },
  {
    asked: [
      /\bbase url\b/,
      /\btokens?\b/,
      /\bapi keys?\b/,
      /\bsdks?\b/,
      /\bconnect\b/,
      /\bcurl\b/,
      /\bget(?:ting)? started\b/,
    ],
    says: 'You need one base URL and one token. Set the base URL of your SDK to the address that npm start printed (with /v1 at the end for OpenAI clients), use the platform token as the API key, and name any model that the gateway lists. Nothing else in your program changes, whichever provider answers.',
  },
  {
    asked: [
      /\bwire\b/,
      /\bformats\b/,
      /\banthropic\b/,
      /\bclaude\b/,
      /\bgemini\b/,
      /\bopenai\b/,
      /\bresponses api\b/,
    ],
    says: 'The gateway speaks the wire formats of the large vendors: OpenAI chat completions and responses, Anthropic messages, and Gemini generate content. You can call any model in any of them. Where the format of the client and that of the provider are the same, the bytes pass through unchanged; where they differ, each side is translated to and from one common language.',
  },
  {
    asked: [/\bnats\b/, /\bmessage bus\b/, /\bqueue groups?\b/, /\bjetstream\b/],
    says: 'NATS carries every request from the ingress that took it to a worker that is free, and carries the answer back in frames as it arrives. Core NATS is used for requests and answers; JetStream keeps only what must last, such as usage records and state. Because both sides only dial out to NATS, services can be added, moved and restarted without telling the others.',
  },
  {
    asked: [/\bworkers?\b/, /\bpools?\b/, /\bscal(?:e|es|ing)\b/],
    says: 'A worker takes calls from NATS and makes them upstream. It chooses among the targets of a model, speaks the dialect of the provider, and sends each piece of the answer back as soon as it has read it. You can run as many as you need; they share the work in a queue group, and one that is busy says so, so that another takes the call.',
  },
  {
    asked: [
      /\bstream(?:s|ed|ing)?\b/,
      /\bcancel/,
      /\btrip\b/,
      /\b(?:a|my|the|each|every) requests?\b/,
      /\bhow (?:does|do) (?:it|this|you) work\b/,
    ],
    says: 'A request makes a straight trip. An ingress checks the token and the fields and publishes the request on NATS; a worker accepts it, calls the provider and sends the answer back piece by piece; the ingress writes each piece to you as it comes. If you hang up, the cancellation travels the same way and the connection to the provider is closed within a second.',
  },
  {
    asked: [/\bgateway\b/, /\bwhat is this\b/, /\bwhat can (?:you|it|this)\b/, /^\W*help\b/],
    says: 'Model Gateway puts every model behind one base URL and one token. It accepts the wire formats of the large vendors, checks who is asking, carries the request over NATS to a worker, and the worker calls whichever provider serves the model. You keep the SDK you already use, and models, providers and limits are decided in one place.',
  },
];

/** What the model knows about a question; nothing if it names none of the topics. The topic named most often wins. */
export function knownAbout(question: string): string | null {
  const text = question.toLowerCase();
  let best: Topic | null = null;
  let most = 0;
  for (const topic of topics) {
    const named = topic.asked.filter(words => words.test(text)).length;
    if (named > most) [best, most] = [topic, named];
  }
  return best?.says ?? null;
}
