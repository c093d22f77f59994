/** Matches a use of the system's time. A socket's own `setTimeout` is none, and neither is a turn of the event loop. */
const systemTime =
  /\b(?:performance|Date)\.now\b|\bnew Date\(\)|(?<![.\w])set(?:Timeout|Interval)\(|\bAbortSignal\.timeout\b|^import \{(?! setImmediate\b[^,}]*\})[^}]*\} from 'node:timers\/promises'/m;

/** The packages that take their time from a clock. */
const timed =
  /^(?:shared\/(?:access|bus|catalog|ingress|providers|store)|services\/(?:ingress-[a-z-]+|realtime|worker))\/src\//;

/** Packages that still use the system's time. */
const pending = ['access', 'bus', 'store'];

/** Files that use it, and why. */
const exceptions: Record<string, string> = {
  'shared/bus/src/heartbeat-thread.ts': 'a thread of its own',
};

/** True for a source of a package that is still to take its time from a clock. `path`: with `/`. */
export function isPending(path: string): boolean {
  return pending.some(name => path.includes(`shared/${name}/src/`));
}

export function usesSystemTime({ path, text }: { path: string; text: string }): boolean {
  return timed.test(path) && !isPending(path) && !exceptions[path] && systemTime.test(text);
}
