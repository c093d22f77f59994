/** One entry of `GET /v1/models` in the chat format. */
export interface ChatModel {
  id: string;
  object: 'model';
  /** Seconds since 1970. */
  created: number;
  owned_by: string;
}

/** The response of `GET /v1/models` in the chat format. */
export interface ChatModelList {
  object: 'list';
  data: ChatModel[];
}

/**
 * One entry of `GET /v1/models` in the messages format. Names are the gateway's, so other facts are unknown.
 */
export interface MessagesModel {
  type: 'model';
  id: string;
  display_name: string;
  /** RFC 3339. */
  created_at: string;
  max_input_tokens: number | null;
  max_tokens: number | null;
  lifecycle: 'active';
  capabilities: null;
  line: null;
  deprecated_at: null;
  retires_at: null;
}

/** A page of `GET /v1/models` in the messages format. */
export interface MessagesModelList {
  data: MessagesModel[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

/** One entry of `GET /v1beta/models` in the generate-content format. */
export interface GenerateContentModel {
  /** `models/` and the model's name. */
  name: string;
  baseModelId: string;
  version: string;
  displayName: string;
  inputTokenLimit?: number;
  outputTokenLimit?: number;
  supportedGenerationMethods: string[];
}

/** A page of `GET /v1beta/models`. */
export interface GenerateContentModelList {
  models: GenerateContentModel[];
  nextPageToken?: string;
}
