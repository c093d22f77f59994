/** Matches a use of the system's time. A socket's own `setTimeout` is none, and neither is a turn of the event loop. */
const systemTime =
  /\b(?:performance|Date)\.now\b|\bnew Date\(\)|(?<![.\w])set(?:Timeout|Interval)\(|\bAbortSignal\.timeout\b|^import \{(?! setImmediate\b[^,}]*\})[^}]*\} from 'node:timers\/promises'/m;

/** The packages that take their time from a clock. */
const timed =
  /^(?:shared\/(?:access|bus|catalog|ingress|providers|store)|services\/(?:ingress-[a-z-]+|realtime|worker))\/src\//;

/** Files that use it, and why. */
const exceptions: Record<string, string> = {
  'shared/bus/src/heartbeat-thread.ts': 'a thread of its own',
};

export function usesSystemTime({ path, text }: { path: string; text: string }): boolean {
  return timed.test(path) && !exceptions[path] && systemTime.test(text);
}
