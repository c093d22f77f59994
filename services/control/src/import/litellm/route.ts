import { providerFormats } from '@model-gateway/catalog';
import { bedrockModel } from './clouds.ts';
import { lackingVendors, splitModel, vendors } from './vendors.ts';

/** The way of a deployment to its upstream. */
export interface Upstream {
  /** `litellm_params.model`. */
  model: string;
  /** `litellm_params.custom_llm_provider`. */
  vendor: string | undefined;
  baseUrl: string | undefined;
  mode: string | undefined;
}

/** The provider and the model of a target. */
export interface TargetRoute {
  /** The prefix of LiteLLM's name, after which the provider is named. */
  vendor: string;
  kind: string;
  baseUrl: string | undefined;
  /** Options that LiteLLM's name of the model states. */
  options?: Record<string, string>;
  api: string[] | undefined;
  keyVariable: string | undefined;
  model: string;
  changes: string[];
}

/** Modes of models that the gateway has no endpoint for. */
const lackingModes: Readonly<Record<string, string>> = {
  video_generation: 'The gateway has no endpoint for videos.',
  ocr: 'The gateway has no endpoint for OCR.',
  search: 'The gateway has no endpoint for searches.',
  vector_store: 'The gateway has no endpoint for vector stores.',
};

/** Returns the way to an upstream, or the reason why the gateway has none. */
export function routeOf(upstream: Upstream): TargetRoute | { lost: string } {
  const { vendor, model } = splitModel(upstream.model, upstream.vendor);
  const lost = lackingModes[upstream.mode ?? ''] ?? lackOf(vendor, upstream);
  if (lost) return { lost };
  const { kind, baseUrl, keyVariable, change } = vendors[vendor ?? ''] ?? { kind: 'openai-compatible' };
  const route: TargetRoute = {
    ...{ vendor: vendor ?? '', kind, keyVariable, model, api: undefined },
    baseUrl: upstream.baseUrl ?? baseUrl,
    changes: change ? [change] : [],
  };
  const fitted = special[route.vendor]?.(route, upstream) ?? withApi(route, upstream.mode);
  if ('lost' in fitted) return fitted;
  if (fitted.kind === 'openai-compatible' && fitted.baseUrl === undefined)
    return { lost: 'It has no api_base, and the gateway knows no address for this provider.' };
  return fitted;
}

function lackOf(vendor: string | undefined, { model }: Upstream): string | undefined {
  if (model === '*')
    return 'It stands for every model of every provider. List the providers, each with a model such as openai/*.';
  if (vendor === undefined) return "LiteLLM's name of the model names no provider that the importer knows.";
  if (Object.hasOwn(vendors, vendor)) return undefined;
  return lackingVendors[vendor] ?? `The gateway has no provider for ${JSON.stringify(vendor)}.`;
}

type Fit = (route: TargetRoute, upstream: Upstream) => TargetRoute | { lost: string };

/** Vendors whose base URLs or models need more than the table says. */
const special: Readonly<Record<string, Fit>> = {
  openai(route, upstream) {
    const isVendor = upstream.baseUrl === undefined || /^https:\/\/api\.openai\.com\b/.test(upstream.baseUrl);
    const bridged = route.model.startsWith('responses/');
    return withApi(
      {
        ...route,
        ...(!isVendor && { kind: 'openai-compatible', keyVariable: undefined }),
        ...(bridged && { model: route.model.slice('responses/'.length) }),
      },
      bridged ? 'responses' : upstream.mode,
    );
  },
  'text-completion-openai': (route, upstream) => ({
    ...route,
    ...(upstream.baseUrl !== undefined && { kind: 'openai-compatible', keyVariable: undefined }),
    api: ['completions'],
  }),
  anthropic: route => ({ ...route, baseUrl: route.baseUrl?.replace(/(\/v1)?(\/messages)?\/*$/, '') }),
  azure(route, { baseUrl, mode }) {
    const origin = baseUrl && URL.parse(baseUrl)?.origin;
    if (!origin) return { lost: 'It has no api_base, which is the address of the Azure resource.' };
    return withApi({ ...route, baseUrl: origin }, mode);
  },
  bedrock: ofBedrock,
  bedrock_converse: ofBedrock,
  elevenlabs(route, { mode }) {
    const listens = mode === 'audio_transcription' || route.model.startsWith('scribe');
    return listens ? { lost: 'The gateway has no transcriptions of ElevenLabs.' } : route;
  },
  huggingface(route, { baseUrl, mode }) {
    if (!baseUrl)
      return {
        lost: 'The router of Hugging Face has other names for models. Add a provider of the kind huggingface.',
      };
    if (mode === 'embedding' || mode === 'rerank') return { ...route, kind: 'tei' };
    return {
      ...route,
      baseUrl: baseUrl.replace(/\/*$/, '').replace(/(\/v1)?$/, '/v1'),
      changes: ['The target uses the OpenAI-compatible API of the inference server, /v1.'],
    };
  },
};

function ofBedrock(route: TargetRoute, { mode }: Upstream): TargetRoute | { lost: string } {
  const { model, region } = bedrockModel(route.model);
  const embeds = providerFormats({ kind: route.kind, api: undefined }, 'embed', model).length > 0;
  if (mode !== undefined && mode !== 'chat' && !(mode === 'embedding' && embeds))
    return { lost: `The gateway has no ${model} of Amazon Bedrock with the mode ${mode}.` };
  return { ...route, model, ...(region && { options: { region } }) };
}

function withApi(route: TargetRoute, mode: string | undefined): TargetRoute {
  if (!['openai', 'openai-compatible', 'azure-openai'].includes(route.kind)) return route;
  if (mode === 'responses') return { ...route, api: ['responses'] };
  if (mode === 'completion') return { ...route, api: ['chat', 'completions'] };
  return route;
}
