/** A tool as the client defined it. */
export interface ClientTool {
  name: string;
  namespace?: string;
  /** True for the client's tool search, whose calls have their own item type. */
  search?: boolean;
}

/** The name of the client's tool search in formats where it is an ordinary tool. */
export const searchName = 'tool_search';

/** Joins namespace and name, since other formats have no namespaces. */
export function flatName(name: string, namespace: string | null | undefined): string {
  return namespace ? `${namespace}__${name}` : name;
}

/** The tools of one request, by their flat names. */
export class ToolNames {
  readonly #tools = new Map<string, ClientTool>();

  /** Registers a tool and returns its flat name. */
  add(tool: ClientTool): string {
    const flat = flatName(tool.name, tool.namespace);
    this.#tools.set(flat, tool);
    return flat;
  }

  /** Returns the tool with the flat name. */
  find(flat: string): ClientTool {
    return this.#tools.get(flat) ?? { name: flat };
  }

  /** Returns the flat names of the tools of each namespace, and of those without one. */
  byNamespace(): Map<string | undefined, string[]> {
    return Map.groupBy(this.#tools.keys(), flat => this.#tools.get(flat)?.namespace);
  }
}
