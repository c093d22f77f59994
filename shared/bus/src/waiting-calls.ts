import type { OverShare } from './slots.ts';
import type { SlotRequest } from './workers.ts';

/** The most calls of one project, and of all, that wait in a process. */
export const maxWaiting = { project: 2_000, all: 10_000 };
/** One of so many places that become free in a process is left to other processes, which hear of it from the worker. */
export const placesPerLeft = 8;
/** The shortest time between two calls of a project that are opened at a full worker, in milliseconds. */
export const claimEachMs = 900;
/** The fewest waiting calls that must have been accepted before a wait is estimated from them. */
const fewestAccepted = 8;
/** The most accepted calls that are remembered for it. */
const mostAccepted = 32;

/** A call that waits for a worker with a place. */
export interface WaitingCall {
  readonly pool: string;
  readonly weight: number;
  readonly slotRequest: SlotRequest;
  /** The end of its wait, in milliseconds since 1970. */
  readonly queueUntil: number;
  /** True if an earlier call of its request had its turn. */
  readonly isAgain: boolean;
  /** True while an opening awaits an answer: the call keeps its place in line until it is accepted. */
  readonly isOpen: boolean;
  /** The share that it would have exceeded at the last worker that refused it; undefined if that was full. */
  overShare?: OverShare | undefined;
  /** The line in which it waits. */
  line: ProjectLine | undefined;
  /** Opens the call at a worker with room for it; false if there is none. */
  open(): boolean;
  /** Opens the call at a worker that may have no room, so that it learns of the call's project. */
  claim(worker: string): void;
}

/** The calls of one project that wait for workers of one pool: tokens take turns, and each token's calls are in order. */
export class ProjectLine {
  readonly pool: string;
  readonly project: string;
  /** Number of calls. */
  size = 0;
  /** Calls opened so far, divided by the project's weight: the project with the lowest time is next. */
  time: number;
  /** The share that the last refused call would have exceeded; undefined if its worker was full. */
  overShare: OverShare | undefined;
  readonly #tokens = new Map<string, Set<WaitingCall>>();
  /** Calls whose request had its turn before: they come first, whatever their token. */
  readonly #again = new Set<WaitingCall>();
  #claimedAt = Number.NEGATIVE_INFINITY;
  /** The times at which the last calls were accepted, in milliseconds since 1970. */
  readonly #acceptedAt: number[] = [];

  constructor({ pool, slotRequest: { project } }: WaitingCall, time: number) {
    this.pool = pool;
    this.project = project;
    this.time = time;
  }

  add(call: WaitingCall): void {
    const { token } = call.slotRequest;
    const calls = call.isAgain ? this.#again : (this.#tokens.get(token) ?? new Set());
    calls.add(call);
    if (!call.isAgain) this.#tokens.set(token, calls);
    this.size++;
    call.line = this;
  }

  remove(call: WaitingCall): void {
    const { token } = call.slotRequest;
    const calls = this.#tokens.get(token);
    if (!this.#again.delete(call)) calls?.delete(call);
    if (calls?.size === 0) this.#tokens.delete(token);
    this.size--;
    call.line = undefined;
  }

  /** Opens the next call for which a worker has room; false if there is none. */
  openNext(): boolean {
    for (const call of this.#again) {
      if (call.isOpen || !call.open()) continue;
      this.time += 1 / call.weight;
      return true;
    }
    for (const [token, calls] of this.#tokens) {
      const opened = openFirst(calls);
      if (!opened) continue;
      this.time += 1 / opened.weight;
      this.#endTurn(token);
      return true;
    }
    return false;
  }

  /** Opens its last call, which is no other one's turn, at a worker that may have no room; at most once in `claimEachMs`. */
  claim(worker: string, now: number): void {
    if (now - this.#claimedAt < claimEachMs) return;
    const last = [...this.#again, ...[...this.#tokens.values()].flatMap(calls => [...calls])].at(-1);
    if (!last || last.isOpen) return;
    this.#claimedAt = now;
    last.claim(worker);
  }

  /** Puts a token behind the others. */
  #endTurn(token: string): void {
    const calls = this.#tokens.get(token);
    if (!calls) return;
    this.#tokens.delete(token);
    this.#tokens.set(token, calls);
  }

  /** Records that a call was accepted. */
  accepted(now: number): void {
    this.#acceptedAt.push(now);
    if (this.#acceptedAt.length > mostAccepted) this.#acceptedAt.shift();
  }

  /** The expected wait of its token's last call in milliseconds; undefined if too few calls were accepted to know. */
  waitMs(token: string, now: number): number | undefined {
    const [first = now] = this.#acceptedAt;
    const accepted = this.#acceptedAt.length;
    if (accepted < fewestAccepted) return undefined;
    const turns = (this.#tokens.get(token)?.size ?? 0) * this.#tokens.size;
    return (Math.min(this.size, this.#again.size + turns) * (now - first)) / accepted;
  }
}

/** Opens the first of a token's calls for which a worker has room, and returns it. */
function openFirst(calls: Iterable<WaitingCall>): WaitingCall | undefined {
  let refusedBytes = Number.POSITIVE_INFINITY;
  for (const call of calls) {
    const { bytes } = call.slotRequest;
    if (call.isOpen || bytes >= refusedBytes) continue;
    if (call.open()) return call;
    if (bytes === 0) return undefined;
    // There may still be room for a smaller body.
    refusedBytes = bytes;
  }
  return undefined;
}

/** The reason for which a call cannot wait. */
export interface WaitRefusal {
  /** Time until it could be served, in milliseconds, if known. */
  waitMs: number | undefined;
  /** The share that calls before it would exceed; undefined if the workers are full. */
  overShare: OverShare | undefined;
}

/** The calls of this process that wait for a worker: projects are served by weight. */
export class WaitingCalls {
  /** Number of calls. */
  count = 0;
  #freed = 0;
  readonly #hasRoom: (pool: string, project: string) => boolean;
  /** By pool and project. */
  readonly #lines = new Map<string, Map<string, ProjectLine>>();

  /** `hasRoom`: true if a worker of the pool may have a place for the project. */
  constructor(hasRoom: (pool: string, project: string) => boolean) {
    this.#hasRoom = hasRoom;
  }

  /** True if calls of the same project wait, which a new one must not overtake. */
  precede({ pool, slotRequest: { project } }: WaitingCall): boolean {
    return this.#lines.get(pool)?.has(project) === true;
  }

  /** Puts a call in line, and returns the line. */
  add(call: WaitingCall): ProjectLine {
    if (call.line) return call.line;
    const { pool, slotRequest } = call;
    const lines = this.#lines.get(pool) ?? new Map<string, ProjectLine>();
    this.#lines.set(pool, lines);
    // A project that has not waited begins with the turn of the one that is next.
    const line = lines.get(slotRequest.project) ?? new ProjectLine(call, next(lines.values())?.time ?? 0);
    lines.set(slotRequest.project, line);
    line.add(call);
    line.overShare ??= call.overShare;
    this.count++;
    return line;
  }

  /**
   * Puts a new call in line, and opens the next one of its project if there is room. Returns the reason if the call cannot
   * wait: too many do, or its time would be over.
   */
  wait(call: WaitingCall, now: number): WaitRefusal | undefined {
    const line = this.add(call);
    this.#openNext(line);
    if (call.isOpen || call.line !== line) return undefined;
    const waitMs = line.waitMs(call.slotRequest.token, now);
    const isLate = !call.isAgain && waitMs !== undefined && now + waitMs > call.queueUntil;
    const tooMany = line.size > maxWaiting.project || this.count > maxWaiting.all;
    if (!isLate && !tooMany) return undefined;
    this.remove(call);
    return { waitMs, overShare: line.overShare };
  }

  /** Takes a call out of its line; no effect if it does not wait. */
  remove(call: WaitingCall): void {
    const { line } = call;
    if (!line) return;
    line.remove(call);
    this.count--;
    if (line.size > 0) return;
    const lines = this.#lines.get(line.pool);
    lines?.delete(line.project);
    if (lines?.size === 0) this.#lines.delete(line.pool);
  }

  /** Records that a worker accepted a call. */
  accepted(call: WaitingCall, isClaim: boolean, now: number): void {
    const { line, weight } = call;
    line?.accepted(now);
    if (line && isClaim) line.time += 1 / weight;
    this.remove(call);
  }

  /** Records that a worker with room refused a call in line, which thus had no turn. */
  refused({ line, weight }: WaitingCall, overShare: OverShare | undefined): void {
    if (!line) return;
    line.overShare = overShare;
    line.time -= 1 / weight;
  }

  /** Returns true if a place that a call of this process had is not for the calls that wait here. */
  leavesSlot(): boolean {
    return ++this.#freed % placesPerLeft === 0;
  }

  /** Opens waiting calls while a worker of the pool has room. */
  dispatch(pool: string): void {
    const lines = new Set(this.#lines.get(pool)?.values());
    for (let line = next(lines); line; line = next(lines)) if (!this.#openNext(line)) lines.delete(line);
  }

  /**
   * Opens a call of each project for which the pool has no room at a worker. A worker keeps places for projects that ask, and
   * while it is full, nobody else tells it who waits here.
   */
  claim(pool: string, worker: string, now: number): void {
    for (const line of this.#lines.get(pool)?.values() ?? [])
      if (!this.#hasRoom(pool, line.project)) line.claim(worker, now);
  }

  /** Opens waiting calls of every pool. */
  dispatchAll(): void {
    for (const pool of this.#lines.keys()) this.dispatch(pool);
  }

  #openNext(line: ProjectLine): boolean {
    return line.size > 0 && this.#hasRoom(line.pool, line.project) && line.openNext();
  }
}

/** The line whose turn is next. */
function next(lines: Iterable<ProjectLine>): ProjectLine | undefined {
  let first: ProjectLine | undefined;
  for (const line of lines) if (!first || line.time < first.time) first = line;
  return first;
}
