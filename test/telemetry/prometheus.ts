import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@model-gateway/bus/testing';
import { stringify } from 'yaml';
import { until } from '../until.ts';
import { prometheusProgram } from './promtool.ts';

/** A target: the component of the gateway, and the host and port of its metrics. */
export interface Target {
  component: string;
  host: string;
}

/** A rule as Prometheus reports it. */
interface ReportedRule {
  name: string;
  health: string;
  lastError?: string;
  state: 'inactive' | 'pending' | 'firing';
}

/** A real Prometheus that scrapes each second. */
export class Prometheus implements AsyncDisposable {
  readonly #url: string;
  readonly #folder: string;
  readonly #child: ChildProcess;

  private constructor(url: string, folder: string, child: ChildProcess) {
    this.#url = url;
    this.#folder = folder;
    this.#child = child;
  }

  /** Starts one with a file of rules, whose text is `rules`. */
  static async start(targets: readonly Target[], rules: string): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-prometheus-'));
    writeFileSync(join(folder, 'rules.yml'), rules);
    writeFileSync(join(folder, 'prometheus.yml'), configOf(targets));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const args = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn(prometheusProgram('prometheus'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', text => {
      output = (output + text).slice(-4_000);
    });
    const prometheus = new Prometheus(url, folder, child);
    const look = async () => child.exitCode === null && (await fetch(`${url}/-/ready`)).ok;
    try {
      await until('Prometheus is ready', look);
      return prometheus;
    } catch {
      await prometheus[Symbol.asyncDispose]();
      throw new Error(`Prometheus did not start:\n${output}`);
    }
  }

  /** Returns the number of series that a query returns now. @throws Error with the message of Prometheus */
  async count(query: string): Promise<number> {
    return (await this.values(query)).length;
  }

  /** Returns the values of the series that a query returns now. */
  async values(query: string): Promise<number[]> {
    const { result } = await this.#get<{ result: { value: [number, string] }[] }>(
      `query?${new URLSearchParams({ query })}`,
    );
    return result.map(({ value: [, text] }) => Number(text));
  }

  async rules(): Promise<ReportedRule[]> {
    const { groups } = await this.#get<{ groups: { rules: ReportedRule[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async #get<Data>(path: string): Promise<Data> {
    const response = await fetch(`${this.#url}/api/v1/${path}`);
    const { data, error } = (await response.json()) as { data: Data; error?: string };
    if (error) throw new Error(error);
    return data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function configOf(targets: readonly Target[]): string {
  return stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [
      {
        job_name: 'model-gateway',
        static_configs: targets.map(({ component, host }) => ({ targets: [host], labels: { component } })),
      },
    ],
  });
}

/** Returns the alerts of a file as rules that fire at once. */
export function withoutWaits(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/^ *for: .*\n/gm, '');
}
