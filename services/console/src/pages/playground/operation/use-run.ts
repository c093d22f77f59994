import { useCallback, useEffect, useRef, useState } from 'react';
import { toProblem } from '../../problem.ts';
import { type OperationRequest, send } from './request.ts';
import { began, ended, headed, type RawPart, type Run, read, shown } from './run.ts';

/** What reads a response. It returns the complete result, and may show parts of it before. */
export type Read<Result> = (reading: Reading<Result>) => Promise<Result>;

export interface Reading<Result> {
  response: Response;
  show(result: Result): void;
  /** Records a part of the answer as it came. */
  raw(text: string): void;
  /** Takes a function that frees the memory of the result when that is no longer shown. */
  whenGone(free: () => void): void;
}

export interface Runs<Result> {
  /** The last run; undefined before the first. */
  run: Run<Result> | undefined;
  running: boolean;
  start(secret: string, model: string, request: OperationRequest, read: Read<Result>): void;
  stop(): void;
}

/** Sends one request at a time, and holds its answer. Leaving the page stops a running request. */
export function useRun<Result>(): Runs<Result> {
  const [run, setRun] = useState<Run<Result>>();
  const aborting = useRef<AbortController>(undefined);
  const freeing = useRef<() => void>(undefined);
  const stop = useCallback(() => aborting.current?.abort(), []);
  const leave = useCallback(() => {
    stop();
    freeing.current?.();
    freeing.current = undefined;
  }, [stop]);
  useEffect(() => leave, [leave]);

  const start: Runs<Result>['start'] = async (secret, model, request, readAnswer) => {
    leave();
    const controller = new AbortController();
    const { signal } = controller;
    aborting.current = controller;
    const from = performance.now();
    const ms = () => performance.now() - from;
    /** Changes the run, unless another one took its place. */
    const change = (next: (run: Run<Result>) => Run<Result>) => {
      if (aborting.current === controller) setRun(run => run && next(run));
    };
    setRun(began(model, request));
    try {
      const response = await send(secret, request, signal);
      change(run => headed(run, response));
      const raw = (text: string) => {
        const part: RawPart = { text, ms: ms() };
        change(run => read(run, part));
      };
      const show = (result: Result) => change(run => shown(run, result));
      const whenGone = (free: () => void) => {
        if (signal.aborted) free();
        else freeing.current = free;
      };
      show(await readAnswer({ response, raw, show, whenGone }));
      change(run => ended(run, 'done', ms()));
    } catch (thrown) {
      if (signal.aborted) change(run => ended(run, 'stopped', ms()));
      else change(run => ended(run, 'failed', ms(), toProblem(thrown)));
    }
  };
  return { run, running: run?.state === 'running', start, stop };
}
