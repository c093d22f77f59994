/** A type of channels, as the gateway can reach it. */
interface ChannelType {
  name: string;
  kind: string;
  /** The address of the vendor, without the path. */
  address?: string;
  /** The path that new-api adds to the address before `/chat/completions`. */
  path?: string;
  change?: string;
}

const compatible = (
  name: string,
  address?: string,
  path = '/v1',
  kind = 'openai-compatible',
): ChannelType => ({
  ...{ name, kind, path },
  ...(address !== undefined && { address }),
});

/** Types of channels by their numbers, with the addresses of new-api (constant/channel.go, relay/channel/). */
const channelTypes: ReadonlyMap<number, ChannelType> = new Map([
  [1, { name: 'openai', kind: 'openai', path: '/v1' }],
  [3, { name: 'azure', kind: 'azure-openai', path: '' }],
  [4, { name: 'ollama', kind: 'ollama' }],
  [6, compatible('openaimax', 'https://api.openaimax.com')],
  [7, compatible('ohmygpt', 'https://api.ohmygpt.com')],
  [9, compatible('ails', 'https://api.caipacity.com')],
  [10, compatible('aiproxy', 'https://api.aiproxy.io')],
  [12, compatible('api2gpt', 'https://api.api2gpt.com')],
  [13, compatible('aigc2d', 'https://api.aigc2d.com')],
  [14, { name: 'anthropic', kind: 'anthropic' }],
  [17, compatible('ali', 'https://dashscope.aliyuncs.com', '/compatible-mode/v1', 'dashscope')],
  [19, compatible('360', 'https://api.360.cn')],
  [20, compatible('openrouter', 'https://openrouter.ai/api', '/v1', 'openrouter')],
  [22, compatible('fastgpt', 'https://fastgpt.run/api/openapi')],
  [24, { name: 'gemini', kind: 'gemini' }],
  [25, compatible('moonshot', 'https://api.moonshot.cn', '/v1', 'moonshot')],
  [26, compatible('zhipu', 'https://open.bigmodel.cn', '/api/paas/v4', 'zhipu')],
  [27, compatible('perplexity', 'https://api.perplexity.ai', '', 'perplexity')],
  [31, compatible('lingyiwanwu', 'https://api.lingyiwanwu.com')],
  [33, { name: 'bedrock', kind: 'bedrock' }],
  [34, { name: 'cohere', kind: 'cohere' }],
  [
    35,
    {
      ...compatible('minimax', 'https://api.minimax.chat', '/v1', 'minimax'),
      change: "The target uses MiniMax's OpenAI-compatible API in place of its chatcompletion_v2.",
    },
  ],
  [38, compatible('jina', 'https://api.jina.ai', '/v1', 'jina')],
  [39, compatible('cloudflare', 'https://api.cloudflare.com', '/client/v4', 'cloudflare')],
  [40, compatible('siliconflow', 'https://api.siliconflow.cn', '/v1', 'siliconflow')],
  [41, { name: 'vertex', kind: 'vertex' }],
  [42, compatible('mistral', 'https://api.mistral.ai', '/v1', 'mistral')],
  [43, compatible('deepseek', 'https://api.deepseek.com', '/v1', 'deepseek')],
  [45, compatible('volcengine', 'https://ark.cn-beijing.volces.com', '/api/v3', 'volcengine')],
  [46, compatible('baidu', 'https://qianfan.baidubce.com', '/v2')],
  [47, compatible('xinference')],
  [48, compatible('xai', 'https://api.x.ai', '/v1', 'xai')],
  [53, compatible('submodel', 'https://llm.submodel.ai')],
]);

/** Names of types that the gateway has no provider for, by their numbers. */
const lackingTypes: ReadonlyMap<number, string> = new Map([
  [2, 'Midjourney'],
  [5, 'Midjourney'],
  [11, 'PaLM'],
  [15, 'Baidu (v1)'],
  [16, 'Zhipu (v3)'],
  [18, 'Xunfei'],
  [21, "AIProxy's library"],
  [23, 'Tencent'],
  [36, 'Suno'],
  [37, 'Dify'],
  [44, 'MokaAI'],
  [49, 'Coze'],
  [50, 'Kling'],
  [51, 'Jimeng'],
  [52, 'Vidu'],
  [54, "Doubao's videos"],
  [55, "Sora's videos"],
  [56, 'Replicate'],
  [57, 'Codex'],
]);

/** Addresses that new-api has names for, as OpenAI-compatible ones. */
const namedAddresses: Readonly<Record<string, string>> = {
  'glm-coding-plan': 'https://open.bigmodel.cn/api/coding/paas/v4',
  'glm-coding-plan-international': 'https://api.z.ai/api/coding/paas/v4',
  'kimi-coding-plan': 'https://api.kimi.com/coding/v1',
  'doubao-coding-plan': 'https://ark.cn-beijing.volces.com/api/coding/v3',
};

export interface ChannelAddress {
  /** The name of the type. */
  type: string;
  kind: string;
  /** The kind's if absent. */
  baseUrl?: string;
  change?: string;
}

/** Type 8, whose address is that of chat completions itself. */
const custom = 8;

/** Returns the kind and the base URL of a channel, or the reason why the gateway has none. `stated` is `base_url`. */
export function addressOf(type: number, stated: string): ChannelAddress | { lost: string } {
  const named = namedAddresses[stated];
  if (named) return { type: stated, kind: 'openai-compatible', baseUrl: named };
  if (stated !== '' && !/^https?:\/\/[^?#\s]+$/.test(stated)) return { lost: 'Its base_url is no http URL.' };
  if (type === custom) return customAddress(stated);
  const known = channelTypes.get(type);
  if (!known) {
    const name = lackingTypes.get(type);
    return { lost: `The gateway has no provider for ${name ?? `channels of type ${type}`}.` };
  }
  const { name, kind, address, path, change } = known;
  const base = stated.replace(/\/+$/, '');
  if (path === undefined) return { type: name, kind, ...(base !== '' && { baseUrl: base }) };
  const isVendor = kind === 'openai' && (base === '' || base === 'https://api.openai.com');
  if (isVendor) return { type: name, kind };
  const root = base || address;
  if (root === undefined) return { lost: 'It has no base_url.' };
  return {
    ...{ type: name, kind: kind === 'openai' ? 'openai-compatible' : kind },
    baseUrl: path === '' || root.endsWith(path) ? root : root + path,
    ...(change && { change }),
  };
}

function customAddress(stated: string): ChannelAddress | { lost: string } {
  const [, baseUrl] = /^(https?:\/\/[^{}]+)\/chat\/completions\/?$/.exec(stated) ?? [];
  if (baseUrl) return { type: 'custom', kind: 'openai-compatible', baseUrl };
  return { lost: 'Its base_url is not one that ends with /chat/completions.' };
}
