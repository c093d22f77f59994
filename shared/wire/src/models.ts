/** One entry of `GET /v1/models` in the chat format. */
export interface ChatModel {
  id: string;
  object: 'model';
  /** Seconds since 1970. */
  created: number;
  owned_by: string;
}

/** The answer of `GET /v1/models` in the chat format. */
export interface ChatModelList {
  object: 'list';
  data: ChatModel[];
}
