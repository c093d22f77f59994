/** A gateway to use. */
export interface Gateway {
  baseUrl: string;
  adminToken: string;
}

/** The results of what was done with the generated client. */
export interface Done {
  /** The names of the tokens. */
  listed: string[];
  changed: { name: string; tags: Record<string, string> };
  /** The status of a change with an ETag that is no longer current. */
  changedSince: number;
  /** The text of a model's answer. */
  answer: string;
  /** The status of a chat with a revoked token. */
  afterRevocation: number;
  /** The status of a change of a revoked token. */
  unknownToken: number;
}
