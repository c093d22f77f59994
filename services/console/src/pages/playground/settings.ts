/** What goes with every question; what is not set is not sent. */
export interface Settings {
  system: string;
  temperature: number | undefined;
  /** In tokens. */
  maxTokens: number | undefined;
}

export const noSettings: Settings = { system: '', temperature: undefined, maxTokens: undefined };
