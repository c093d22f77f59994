import { resolve } from 'node:path';
import { type Operation, operations } from '@model-gateway/canonical';
import {
  type FormatDifferences,
  type ProviderProfile,
  providerProfiles,
  type ThinkingControl,
} from '@model-gateway/providers';
import { writeTable } from '../limits/table.ts';

/** The file that holds the page. */
export const path = resolve(import.meta.dirname, '../../providers.md');

const kinds = Object.entries(providerProfiles);

/** Renders the kinds of providers as a page. */
export function page(): string {
  return `# Kinds of providers

<!-- Written by npm run docs from shared/providers/src. Change the code, not this file. -->

A [provider](configuration.md#providers) has a \`kind\`, which says where the vendor's API is and how it takes requests. With its key in the environment,
[\`npm start\`](../README.md) adds the provider, and serves its models as \`<kind>/<model>\`:

\`\`\`yaml
providers:
  - { name: mistral, kind: mistral, apiKey: { env: MISTRAL_API_KEY } }
models:
  - { name: "mistral/*", targets: [{ provider: mistral, model: "*" }] }
\`\`\`

A client of any format reaches a model of any kind. If the client's format is one of the kind's, the request is passed on verbatim, else it is translated to the first
format of the list. A server that is not in the list, but speaks OpenAI's formats, is \`openai-compatible\`.

## What each can do

${writeTable([['kind', 'vendor or server', 'operations and their formats', 'key'], ...kinds.map(kindRow)])}

## Addresses

${writeTable([['kind', 'base URL if none is set', 'options'], ...kinds.map(addressRow)])}

The regions of a vendor have addresses of their own: set \`baseUrl\` for another one, such as \`https://api.z.ai/api/paas/v4\` for \`zhipu\`,
\`https://dashscope.aliyuncs.com/compatible-mode/v1\` for \`dashscope\`, or \`https://api.siliconflow.cn/v1\` for \`siliconflow\`.

## Differences

Servers differ from the vendor of a format in fields. The gateway sends each what it takes:

${writeTable([['kind', 'format', 'difference'], ...kinds.flatMap(differenceRows)])}

A field that a vendor refuses, and that changes what an answer says, is not left out: the client gets the vendor's refusal. [\`drop\`](configuration.md#models) of
a model leaves out any field.

## Thinking

Models think by default, or do not, and each vendor has its own fields for that. A client says it in the field of its format: \`reasoning_effort\`, \`thinking\` and
\`output_config.effort\`, \`reasoning.effort\`, \`thinkingConfig\`; a client of chat may use the fields of any chat server. What it asks for is sent as follows. The first
row of a kind whose models fit counts; kinds and models without a row get the level of the format, as do values that are no level, such as \`default\`.

- **Off** is off. Thinking that cannot be turned off (–) is the least that the model takes; models that never think get no field.
- **A level** that a model does not take becomes the nearest one, the higher of two, if the request is translated. A client of the same format gets what the vendor
  says to its level. Where models know only on and off, \`minimal\` is off and every other level on.
- **A number of tokens** is sent where there is a field for it, within its bounds, and becomes a level elsewhere; see [translation](translation.md#thinking).

${writeTable([['kind', 'format', 'models', 'off', 'on', 'levels', 'tokens', 'turns that must have reasoning'], ...thinkingRows()])}

${writeTable([['source of rows', 'seen', 'kinds'], ...thinkingSourceRows()])}

## Sources, and what was tested

Every kind is asked by the gateway's own code in \`test/providers\`, against a server that checks the path, the credential and the body; \`azure-openai\` and \`vertex\` in
\`test/clouds\`, and \`bedrock\` in \`test/clients\`, where each request is compared with that of the vendor's own SDK. The formats are tested beyond that with recorded
answers and with the vendors' SDKs. No kind is tested with a real key of its vendor.

Real servers are behind the gateway in \`npm run test:upstreams\`, with a small model whose answers are known. Each answer is compared with that of the
server itself:

${writeTable([['kind', 'tested with a real server'], ...kinds.flatMap(realServerRows)])}

${writeTable([['kind', 'where the facts come from'], ...kinds.map(sourceRow)])}
`;
}

function kindRow([kind, { label, formats, keyVariable }]: [string, ProviderProfile]): string[] {
  return [`\`${kind}\``, label ?? kind, operationsOf(formats), keyVariable ? `\`${keyVariable}\`` : '–'];
}

function operationsOf(formats: ProviderProfile['formats']): string {
  const served = operations.filter(operation => formats[operation]);
  return served
    .map(operation => `${operation}: ${formats[operation]?.map(format => `\`${format}\``).join(', ')}`)
    .join('; ');
}

function addressRow([kind, { baseUrl, options = {} }]: [string, ProviderProfile]): string[] {
  const described = Object.entries(options).map(
    ([name, { description, required, variable }]) =>
      `\`${name}\`: ${description}${required ? ', required' : ''}${variable ? ` (\`${variable}\`)` : ''}`,
  );
  return [`\`${kind}\``, baseUrl ? `\`${baseUrl}\`` : 'must be set', described.join('; ') || '–'];
}

function differenceRows([kind, { differences = {} }]: [string, ProviderProfile]): string[][] {
  return Object.entries(differences).flatMap(([format, difference]) => {
    const described = describe(difference).join('; ');
    return described ? [[`\`${kind}\``, `\`${format}\``, described]] : [];
  });
}

/** The kinds that have controls of thinking, and the formats that each list of controls is for. */
const controls = kinds.flatMap(([kind, { differences = {} }]) => {
  const formats = new Map<readonly ThinkingControl[], string[]>();
  for (const [format, { thinking }] of Object.entries(differences))
    if (thinking) formats.set(thinking, [...(formats.get(thinking) ?? []), format]);
  return [...formats].map(([list, names]) => ({ kind, list, formats: listed(names) }));
});

function thinkingRows(): string[][] {
  return controls.flatMap(({ kind, list, formats }) => {
    const first = controls.find(other => other.list === list);
    if (first && first.kind !== kind)
      return [[`\`${kind}\``, formats, `as \`${first.kind}\``, '', '', '', '', '']];
    return list.map(control => [`\`${kind}\``, formats, ...describeControl(control)]);
  });
}

function describeControl({ models, off, on, levels, budget, reasonedTurns }: ThinkingControl): string[] {
  const always = { none: '`none`', always: 'they never think' };
  return [
    models ? `\`${models.source.replaceAll('|', '\\|')}\`` : 'all others',
    off === null ? '–' : typeof off === 'string' ? always[off] : code(off),
    on ? code(on) : '–',
    levels.length > 0 ? listed(levels) : '–',
    budget ? `\`${budget.field}\` from ${budget.least} to ${budget.most}` : '–',
    reasonedTurns === 'calls' ? 'those with calls' : (reasonedTurns ?? '–'),
  ];
}

function code(fields: object): string {
  return `\`${JSON.stringify(fields)}\``;
}

function thinkingSourceRows(): string[][] {
  const sources = new Map<string, string[]>();
  for (const { kind, list } of controls)
    for (const { source, seen } of list) {
      const key = `<${source}> ${seen}`;
      sources.set(key, [...new Set([...(sources.get(key) ?? []), kind])]);
    }
  return [...sources].map(([key, names]) => [...key.split(' '), listed(names)]);
}

function describe({ renames = {}, omits = [], ...more }: FormatDifferences): string[] {
  const { inUrl = [], bodyVersion, betas, streamType } = more;
  const { reasoning, reasoningDetails, callIds, alternates, continuation: { request, message } = {} } = more;
  return [
    ...Object.entries(renames).map(([field, name]) => `\`${field}\` is sent as \`${name}\``),
    ...(omits.length > 0 ? [`without ${listed(omits)}`] : []),
    ...(inUrl.length > 0 ? [`${listed(inUrl)} in the URL alone`] : []),
    ...(bodyVersion ? [`\`anthropic_version: ${bodyVersion}\` in the body`] : []),
    ...(betas ? ['`anthropic_beta` in the body'] : []),
    ...(streamType ? [`streams as \`${streamType}\``] : []),
    ...(reasoning === null ? ['turns without reasoning'] : []),
    ...(reasoning ? [`reasoning of turns in \`${reasoning}\``] : []),
    ...(reasoningDetails ? ['`reasoning_details` of turns are sent back'] : []),
    ...(callIds ? ['ids of tool calls have nine letters and digits'] : []),
    ...(alternates ? ['turns of one side are joined'] : []),
    ...(request ? [`a last message of the assistant is continued by ${json(request)}`] : []),
    ...(message ? [`a last message of the assistant has ${json(message)}`] : []),
  ];
}

function listed(fields: readonly string[]): string {
  return fields.map(field => `\`${field}\``).join(', ');
}

function json(fields: object): string {
  return Object.entries(fields)
    .map(([field, value]) => `\`${field}: ${value}\``)
    .join(' and ');
}

function sourceRow([kind, { sources = [] }]: [string, ProviderProfile]): string[] {
  return [`\`${kind}\``, sources.map(source => `<${source}>`).join(' ') || 'OpenAI’s formats'];
}

function realServerRows([kind, { realServer }]: [string, ProviderProfile]): string[][] {
  return realServer ? [[`\`${kind}\``, realServer]] : [];
}

/** The console's file that lists the kinds. */
export const consolePath = resolve(
  import.meta.dirname,
  '../../../services/console/src/pages/providers/kinds.ts',
);

/** Renders the console's list of kinds: it is sent to browsers, and so holds no more than the form needs. */
export function consoleKinds(): string {
  const entries = kinds.map(([kind, { label = kind, baseUrl, choosesFormats, formats, options = {} }]) => {
    const about = formats.generate ? label : `${label}: ${Object.keys(formats).map(nounOf).join(', ')}`;
    const required = Object.keys(options).filter(name => options[name]?.required);
    return [
      `kind: '${kind}'`,
      `about: '${about}${required.length > 0 ? `. Needs the option ${required.join(', ')}.` : ''}'`,
      ...(baseUrl ? [] : ['needsBaseUrl: true']),
      ...(choosesFormats ? ['choosesFormats: true'] : []),
    ];
  });
  return `// Written by npm run docs from shared/providers/src. Change the code there, not this file.

/** The form's knowledge about a kind of provider. The gateway decides; a test compares this table with its list. */
interface ProviderKind {
  kind: string;
  about: string;
  /** True if the vendor has no base URL of its own. */
  needsBaseUrl?: true;
  /** True if a provider may choose its formats of generate. */
  choosesFormats?: true;
}

/** The kinds of providers. */
export const providerKinds: readonly ProviderKind[] = [
${entries.map(entryLines).join('')}];
`;
}

/** The longest line of the project's formatter. */
const lineWidth = 110;

function entryLines(fields: readonly string[]): string {
  const line = `  { ${fields.join(', ')} },\n`;
  return line.length - 1 <= lineWidth
    ? line
    : `  {\n${fields.map(field => `    ${field},\n`).join('')}  },\n`;
}

function nounOf(operation: string): string {
  return (
    { embed: 'embeddings', transcribe: 'transcription' }[operation as Operation & ('embed' | 'transcribe')] ??
    operation
  );
}
