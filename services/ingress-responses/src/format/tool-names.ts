/** A tool as the client knows it. */
export interface OwnTool {
  name: string;
  namespace?: string;
  /** It searches for tools; the client runs it, and its calls are items of their own. */
  search?: boolean;
}

/** What the search for tools is called where it is a tool like any other. */
export const searchName = 'tool_search';

/** A tool's one name; other formats know no namespaces. */
export function flatName(name: string, namespace: string | null | undefined): string {
  return namespace ? `${namespace}__${name}` : name;
}

/** The tools of one request by their flat names. */
export class ToolNames {
  readonly #own = new Map<string, OwnTool>();

  /** Takes a tool, and returns its flat name. */
  add(tool: OwnTool): string {
    const flat = flatName(tool.name, tool.namespace);
    this.#own.set(flat, tool);
    return flat;
  }

  /** The tool that a model means by a name. */
  find(flat: string): OwnTool {
    return this.#own.get(flat) ?? { name: flat };
  }

  /** The flat names of a namespace's tools. */
  within(namespace: string): string[] {
    return [...this.#own].flatMap(([flat, tool]) => (tool.namespace === namespace ? [flat] : []));
  }
}
