import { teiModels } from './model-list.ts';
import { bearer, type ProviderProfile, withoutPath } from './profile.ts';

/** Hugging Face's text-embeddings-inference. Of its paths, that of embeddings alone has a version. */
export const tei: ProviderProfile = {
  label: 'text-embeddings-inference',
  sources: ['https://huggingface.github.io/text-embeddings-inference/'],
  baseUrl: undefined,
  formats: { embed: ['embeddings'], rerank: ['tei-rerank'] },
  modelList: teiModels,
  maxInputs: { embed: 32, rerank: 32 },
  connect({ baseUrl, apiKey }) {
    const server = withoutPath(baseUrl, '/v1');
    const headers = bearer(apiKey);
    return {
      url: path => (path === '/embeddings' ? `${server}/v1${path}` : server + path),
      sign: () => headers,
    };
  },
};
