/** One page of an upstream's list of models. */
export interface ModelPage {
  names: string[];
  /** The query of the next page; absent after the last one. */
  next?: Record<string, string>;
}

/** The request by which an upstream lists its models. */
export interface ModelList {
  /** The path as a dialect has it, for the `url` of a connection. */
  path: string;
  /** The query of the first page. */
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Reads the JSON of a page. Returns undefined if it is no list of models. */
  read(page: unknown): ModelPage | undefined;
}

/** `GET /models` of OpenAI, which has no pages. Together answers with the list alone. */
export const openaiModels: ModelList = {
  path: '/models',
  read(page) {
    const list = Array.isArray(page) ? page : fieldsOf(page).data;
    return Array.isArray(list) ? { names: list.flatMap(model => textOf(fieldsOf(model).id)) } : undefined;
  },
};

/** `GET /v1/models` of Anthropic: `has_more` and `last_id`, which the next page follows by `after_id`; as in its SDK. */
export const anthropicModels: ModelList = {
  path: '/v1/models',
  query: { limit: '1000' },
  headers: { 'anthropic-version': '2023-06-01' },
  read(page) {
    const { data, has_more: hasMore, last_id: last } = fieldsOf(page);
    if (!Array.isArray(data)) return undefined;
    const names = data.flatMap(model => textOf(fieldsOf(model).id));
    return hasMore === true && typeof last === 'string'
      ? { names, next: { limit: '1000', after_id: last } }
      : { names };
  },
};

/** `GET /v1beta/models` of Gemini: names as `models/…`, and `nextPageToken`; as in its SDK. */
export const geminiModels: ModelList = {
  path: '/v1beta/models',
  query: { pageSize: '1000' },
  read(page) {
    const { models, nextPageToken: next } = fieldsOf(page);
    // A list without an entry has no field `models`.
    if (models !== undefined && !Array.isArray(models)) return undefined;
    if (models === undefined && (typeof page !== 'object' || page === null || Array.isArray(page)))
      return undefined;
    const names = (models ?? []).flatMap(model => textOf(fieldsOf(model).name));
    const own = names.map(name => name.replace(/^models\//, ''));
    return typeof next === 'string' && next !== ''
      ? { names: own, next: { pageSize: '1000', pageToken: next } }
      : { names: own };
  },
};

/** `GET /v1/models` of Cohere: `name`, and `next_page_token`; as in its SDK. */
export const cohereModels: ModelList = {
  path: '/v1/models',
  query: { page_size: '1000' },
  read(page) {
    const { models, next_page_token: next } = fieldsOf(page);
    if (!Array.isArray(models)) return undefined;
    const names = models.flatMap(model => textOf(fieldsOf(model).name));
    return typeof next === 'string' && next !== ''
      ? { names, next: { page_size: '1000', page_token: next } }
      : { names };
  },
};

/** `GET /v1/models` of ElevenLabs: a list alone, of models that may do something else than speak; as in its SDK. */
export const elevenlabsModels: ModelList = {
  path: '/v1/models',
  read(page) {
    if (!Array.isArray(page)) return undefined;
    const speaking = page.map(fieldsOf).filter(model => model.can_do_text_to_speech !== false);
    return { names: speaking.flatMap(model => textOf(model.model_id)) };
  },
};

/** `GET /v1/models` of Deepgram: the models of recorded audio, with an entry for each version and language; as in its SDK. */
export const deepgramModels: ModelList = {
  path: '/v1/models',
  read(page) {
    const { stt } = fieldsOf(page);
    if (!Array.isArray(stt)) return undefined;
    const recorded = stt.map(fieldsOf).filter(({ batch }) => batch !== false);
    return { names: [...new Set(recorded.flatMap(model => textOf(model.canonical_name)))] };
  },
};

/** `GET /info` of text-embeddings-inference, which serves one model. */
export const teiModels: ModelList = {
  path: '/info',
  read(page) {
    const names = textOf(fieldsOf(page).model_id);
    return names.length > 0 ? { names } : undefined;
  },
};

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}
