/** A way to get a nats-server that the machine does not have. */
export interface Source {
  name: string;
  /** Leaves the program somewhere in `folder`, and gives its path; rejects with one line that says why not. */
  fetch(folder: string, signal?: AbortSignal): Promise<string>;
}
